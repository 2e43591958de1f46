// Command aicc is libaicc's tool for people who make or use characters: it publishes what a character can do, reads what others
// have published, and says what is wrong with it. `aicc help` lists what it does.
package main

import (
	"os"
	"time"
)

const version = "0.1.0"

// groups are the command's verbs by what they are about; each group has a file of its own.
var groups = []group{capabilityGroup, playCommand, agentCommand, benchCommand, validateCommand, lintCommand, exportCommand, mcpCommand}

func main() {
	os.Exit(run(os.Args[1:], &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, now: time.Now}))
}
