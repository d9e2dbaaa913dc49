// What the generated code of every device includes, in one header: where many simulators are built the compiler reads
// it once, precompiled.
#ifndef HCA_PRE_H_
#define HCA_PRE_H_

#include "hca_printf.h"

#include "verilated.h"

#include <cstdarg>
#include <cstdlib>
#include <memory>

#include "hca_bridge.h"
#include "hca_state.h"

#endif  // HCA_PRE_H_
