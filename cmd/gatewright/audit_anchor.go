package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	sumnote "golang.org/x/mod/sumdb/note"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// anchoring is one run of audit anchor.
type anchoring struct{ key, newKey string }

func (a *auditing) newAnchor() *cobra.Command {
	k := &anchoring{}
	sign := a.at(func(ctx context.Context, folder *state.Folder, _ []string) error { return a.anchor(ctx, folder, k) })
	cmd := &cobra.Command{
		Use:   "anchor --key FILE [--new-key NAME]",
		Short: "Sign the end of the log",
		Long: `anchor verifies the log and prints its end, signed with a key: whoever trusts the key
can tell with ` + "`audit verify --anchor`" + ` that a log has not been cut off or written anew
since. With --new-key it makes the key, prints what verifies it, and signs nothing.

An anchor proves no more than that: whoever can read the key can sign another log. So
send each anchor at once to a place that the user of the servers cannot change, or
keep the key from that user, and sign a copy of the state folder as another one.

The note has these lines, an empty one, and the signature (golang.org/x/mod/sumdb/note):

  gatewright audit log v1
  protocol ID
  seq NUMBER of the last entry
  hash HASH of the last entry, 64 hexadecimal digits
  time RFC 3339, of the last entry

Exit codes: 0 signed, 1 the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit anchor --new-key example.com/log --key log.key > log.pub\n  gatewright audit anchor --key log.key > anchor.txt",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if k.newKey == "" {
				return sign(cmd, args)
			}
			return shown(k.make(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().StringVar(&k.key, "key", "", "file of the key to sign with")
	cmd.Flags().StringVar(&k.newKey, "new-key", "", "make the file of --key, for a signer of this name")
	_ = cmd.MarkFlagRequired("key")
	return cmd
}

// make writes a new key to a file that is not there yet, and prints what
// verifies it.
func (k *anchoring) make(out io.Writer) error {
	secret, verifier, err := sumnote.GenerateKey(nil, k.newKey)
	if err == nil {
		_, err = sumnote.NewVerifier(verifier) // it checks the name
	}
	if err != nil {
		return fmt.Errorf("make a key for %s: %w", approval.CardQuote(k.newKey), err)
	}
	file, err := os.OpenFile(k.key, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	_, err = file.WriteString(secret + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("make a key: %w", errors.Join(err, os.Remove(k.key)))
	}
	_, err = fmt.Fprintln(out, verifier)
	return printed(err)
}

func (a *auditing) anchor(ctx context.Context, folder *state.Folder, k *anchoring) error {
	signer, err := k.signer()
	if err != nil {
		return err
	}
	report, err := audit.VerifyFolder(ctx, folder)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was signed: %w", err)
	case report.Entries == 0:
		return fmt.Errorf("nothing was signed: %w", audit.ErrEmpty)
	}
	text := anchored{protocol: folder.Protocol(), head: report.Head, time: report.Time}.String()
	if _, err := parseAnchor(text); err != nil { // of a folder that says it belongs to a protocol of another kind of name
		return fmt.Errorf("nothing was signed: the log of protocol %s cannot be anchored", approval.CardQuote(folder.Protocol()))
	}
	signed, err := sumnote.Sign(&sumnote.Note{Text: text}, signer)
	if err != nil {
		return fmt.Errorf("sign the end of the log: %w", err)
	}
	_, err = a.out.Write(signed)
	return printed(err)
}

// signer reads the key, which nobody else may be able to read.
func (k *anchoring) signer() (sumnote.Signer, error) {
	info, err := os.Stat(k.key)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the mode %s of %s lets others at the key; take that away with chmod go=", info.Mode().Perm(), k.key)
	}
	text, err := readSmall(k.key)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	signer, err := sumnote.NewSigner(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s holds no key that `gatewright audit anchor --new-key` made", k.key)
	}
	return signer, nil
}

// anchored is what an anchor says.
type anchored struct {
	protocol string
	head     audit.Head
	time     time.Time
}

// String is the text of the note.
func (a anchored) String() string {
	return fmt.Sprintf("gatewright audit log v1\nprotocol %s\nseq %d\nhash %s\ntime %s\n",
		a.protocol, a.head.Seq, a.head.Hash, a.time.UTC().Format(time.RFC3339Nano))
}

// parseAnchor takes the text of a note that String makes, and no other.
func parseAnchor(text string) (anchored, error) {
	const form = `^gatewright audit log v1\nprotocol ([^\n]+)\nseq ([1-9][0-9]{0,19})\nhash ([0-9a-f]{64})\ntime ([^\n]+)\n$`
	parts := regexp.MustCompile(form).FindStringSubmatch(text)
	if parts == nil {
		return anchored{}, errors.New("the note is signed, and is no anchor of an audit log")
	}
	seq, wrong := strconv.ParseUint(parts[2], 10, 64)
	at, err := time.Parse(time.RFC3339Nano, parts[4])
	made := anchored{protocol: parts[1], head: audit.Head{Seq: seq, Hash: parts[3]}, time: at}
	if err := errors.Join(wrong, err); err != nil || made.String() != text {
		return anchored{}, errors.New("the note is signed, and is no anchor of an audit log")
	}
	return made, nil
}

// openAnchor reads an anchor and holds it against the key that has to have
// signed it: the text of the key, or a file of it.
func openAnchor(path, key string) (anchored, error) {
	content, err := readSmall(path)
	if err != nil {
		return anchored{}, fmt.Errorf("read the anchor: %w", err)
	}
	verifier, err := sumnote.NewVerifier(key)
	if err != nil {
		text, missing := readSmall(key)
		if missing != nil {
			return anchored{}, fmt.Errorf("--verifier takes a key, or a file of it: %w", missing)
		}
		if verifier, err = sumnote.NewVerifier(strings.TrimSpace(string(text))); err != nil {
			return anchored{}, fmt.Errorf("%s holds no key that verifies: %w", approval.CardQuote(key), err)
		}
	}
	opened, err := sumnote.Open(content, sumnote.VerifierList(verifier))
	if err != nil {
		return anchored{}, fmt.Errorf("the anchor %s does not count: %w", approval.CardQuote(path), err)
	}
	return parseAnchor(opened.Text)
}
