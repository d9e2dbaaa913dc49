package vectors

import "hcacosim/vectors/capture"

// Frame is capture.Frame under the name that cocosim/flow still has for it.
type Frame = capture.Frame
