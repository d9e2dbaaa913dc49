package keep

import (
	_ "github.com/gopacket/gopacket/pcapgo"
	_ "github.com/hashicorp/go-hclog"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/sigurn/crc16"
	_ "github.com/stretchr/testify/require"
	_ "github.com/urfave/cli/v2"
	_ "github.com/vbauerster/mpb/v8"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sys/unix"
	_ "pgregory.net/rapid"
)
