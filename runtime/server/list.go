package server

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"text/tabwriter"
)

// A listed tool, as tools --json prints it.
type listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Effect      string          `json:"effect"`
	Exclusive   bool            `json:"exclusive,omitempty"`
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// tools lists the tools of the mode.
func tools(mode Mode, asJSON bool, out io.Writer) int {
	if asJSON {
		return toolsJSON(mode, out)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, tool := range mode.Tools {
		effect := tool.Effect.String()
		if tool.Exclusive {
			effect += ", exclusive"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", tool.Name, effect, tool.Description)
	}
	if err := table.Flush(); err != nil {
		return fail(mode, err)
	}
	return exitOK
}

func toolsJSON(mode Mode, out io.Writer) int {
	all := make([]listed, 0, len(mode.Tools))
	for _, tool := range mode.Tools {
		each := listed{
			Name: tool.Name, Description: tool.Description, Effect: tool.Effect.String(), Exclusive: tool.Exclusive,
			Input: json.RawMessage(tool.listedInput()),
		}
		output, err := tool.listedOutput()
		if err != nil {
			return fail(mode, fmt.Errorf("tool %q: %w", tool.Name, err))
		}
		if output != "" {
			each.Output = json.RawMessage(output)
		}
		all = append(all, each)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		return fail(mode, err)
	}
	return exitOK
}

// version says what the binary was made of.
func version(mode Mode, out io.Writer) int {
	gatewright := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		gatewright = module(info)
	}
	if _, err := fmt.Fprintf(out, "protocol    %s %s\nmode        %s\ndigest      %s\ngatewright  %s\ngo          %s\n",
		mode.Protocol, mode.Version, mode.Mode, mode.Digest, gatewright, runtime.Version()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return exitOK
}

// module finds the version of gatewright among what a binary was built from.
func module(info *debug.BuildInfo) string {
	const path = "github.com/gatewright/gatewright"
	if info.Main.Path == path {
		return info.Main.Version
	}
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			return dependency.Version
		}
	}
	return "unknown"
}
