package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

func (a *auditing) newHead() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "head [--json]",
		Short: "Print the end of the log, to be kept elsewhere",
		Long: `head prints the number and the hash of the last entry, as SEQ:HASH, and its time.
Keep them where whoever writes the log cannot: ` + "`audit verify --head`" + ` then shows whether
entries were cut off since, or the log was written anew. It checks the last entry
alone; verify checks the whole log.

With --json it prints {"v": 1, "protocol": "…", "seq": 1, "hash": "…", "time": "…"}.

Exit codes: 0 printed, 1 the end of the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit head > kept.txt\n  gatewright audit verify --head kept.txt",
		Args:    cobra.NoArgs,
		RunE: a.at(func(ctx context.Context, folder *state.Folder, _ []string) error {
			last, err := lastEntry(ctx, folder)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, headJSON{1, folder.Protocol(), last.Seq, last.Hash, last.Time.UTC()})
			}
			_, err = fmt.Fprintf(a.out, "%s %s\n", headText(audit.Head{Seq: last.Seq, Hash: last.Hash}), last.Time.UTC().Format(time.RFC3339Nano))
			return printed(err)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type headJSON struct {
	V        int       `json:"v"`
	Protocol string    `json:"protocol"`
	Seq      uint64    `json:"seq"`
	Hash     string    `json:"hash"`
	Time     time.Time `json:"time"`
}

func lastEntry(ctx context.Context, folder *state.Folder) (audit.Entry, error) {
	last, err := audit.Last(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = noLog(folder)
	}
	return last, err
}

func headText(head audit.Head) string { return fmt.Sprintf("%d:%s", head.Seq, head.Hash) }

// readHead reads a head as it was printed, or a file of one.
func readHead(text string) (audit.Head, error) {
	if head, ok := parseHead(text); ok {
		return head, nil
	}
	content, err := readSmall(text)
	if err != nil {
		return audit.Head{}, fmt.Errorf("--head takes SEQ:HASH or a file of it: %w", err)
	}
	var kept headJSON
	if err := json.Unmarshal(content, &kept); err == nil {
		content = []byte(headText(audit.Head{Seq: kept.Seq, Hash: kept.Hash}))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	head, ok := parseHead(first)
	if !ok {
		return audit.Head{}, fmt.Errorf("%s holds no head, which is SEQ:HASH as `gatewright audit head` prints it", approval.CardQuote(text))
	}
	return head, nil
}

func parseHead(text string) (audit.Head, bool) {
	parts := regexp.MustCompile(`^([1-9][0-9]{0,19}):([0-9a-f]{64})$`).FindStringSubmatch(text)
	if parts == nil {
		return audit.Head{}, false
	}
	seq, err := strconv.ParseUint(parts[1], 10, 64)
	return audit.Head{Seq: seq, Hash: parts[2]}, err == nil
}

// readSmall reads a file that a person keeps.
func readSmall(path string) ([]byte, error) {
	const most = 64 << 10
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && len(content) > most {
		err = fmt.Errorf("%s is too large", path)
	}
	return content, err
}
