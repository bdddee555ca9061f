package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// A pack is files one after another, each behind a line with its length and name.

// pack puts files into one.
func pack(files []Named) []byte {
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%d %s\n", len(f.Data), f.Name)
		b.Write(f.Data)
	}
	return b.Bytes()
}

// unpack is the other end of pack.
func unpack(b []byte) (files []Named, err error) {
	for len(b) > 0 {
		head, rest, ok := bytes.Cut(b, []byte("\n"))
		size, name, spaced := bytes.Cut(head, []byte(" "))
		n, err := strconv.Atoi(string(size))
		if !ok || !spaced || err != nil || n < 0 || n > len(rest) {
			return nil, errors.New("a pack of files is damaged")
		}
		files = append(files, Named{string(name), rest[:n:n]})
		b = rest[n:]
	}
	return files, nil
}
