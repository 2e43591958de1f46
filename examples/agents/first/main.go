// Command first is about the smallest agent that there can be: it connects to a character, shows its tools, calls one that needs no input, and leaves.
// Its argument is the character's URL: ws://127.0.0.1:8765/aicc?character=guard
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"aicc.dev/libaicc/core/agent"
)

func main() {
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "first:", err)
		os.Exit(1)
	}
}

func play(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give the URL of a character, ws://ADDRESS/aicc?character=NAME, as the game prints it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	a, err := agent.Connect(ctx, args[0], agent.Options{Token: os.Getenv("AICC_TOKEN")})
	if err != nil {
		return err
	}
	defer a.Close(ctx, "done")
	for _, tool := range a.Manifest().Tools {
		fmt.Printf("%s: %s\n", tool.ID, tool.Description)
	}
	first := a.Manifest().Tools[0].ID
	r, err := a.Call(ctx, first, []byte("{}")) // at most once, whatever becomes of the connection
	if err != nil {
		return err
	}
	if !r.OK {
		return fmt.Errorf("%s: %s: %s", first, r.Code, r.Text)
	}
	fmt.Printf("%s gave %s\n", first, r.Output)
	return nil
}
