package gateway

import (
	"io"
	"os"
	"strings"
)

// older is put behind the name of a log for its older half.
const older = ".1"

// bounded is a log that keeps the newest part: a file that is full takes the place of the older one.
type bounded struct {
	name  string
	limit int64
	file  *os.File
	size  int64
}

// Write never fails: a layer whose log can't be written must not stand still for that.
func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if b.file == nil || b.size >= b.limit {
			b.turn()
		}
		part := p[:min(int64(len(p)), b.limit-b.size)]
		if b.file != nil {
			_, _ = b.file.Write(part)
		}
		b.size += int64(len(part))
		p = p[len(part):]
	}
	return n, nil
}

// turn begins a file.
func (b *bounded) turn() {
	b.Close()
	if b.size > 0 {
		_ = os.Rename(b.name, b.name+older)
	}
	b.size = 0
	f, err := os.OpenFile(b.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		b.file = nil
		return
	}
	b.file = f
}

// Close ends the file that is being written.
func (b *bounded) Close() {
	if b.file != nil {
		b.file.Close()
		b.file = nil
	}
}

// Bounds of Tail, in bytes.
const (
	maxTail     = 64 << 10
	maxTailLine = 400
)

// Tail is the last lines of a log, without line ends, each of limited length. What a layer printed is not to be trusted.
func Tail(log string, lines int) []string {
	text := ""
	for _, name := range []string{log + older, log} {
		text += end(name)
	}
	text = strings.TrimRight(text, "\r\n \t")
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		line = strings.TrimRight(line, "\r")
		if len(line) > maxTailLine {
			line = line[:maxTailLine] + "..."
		}
		all[i] = line
	}
	return all
}

// end is the last part of a file, "" when it can't be read.
func end(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-maxTail), io.SeekStart)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxTail))
	if err != nil {
		return ""
	}
	return string(b)
}
