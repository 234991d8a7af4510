// members FILE prints the name of each entry of a zip file, after it has read the entry to its end with its checksum.
// Go's archive/zip judges one-file stores by it (test/python/test_one_file.py).
package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
)

func fail(name string, err error) {
	fmt.Println(name, err)
	os.Exit(1)
}

func main() {
	archive, err := zip.OpenReader(os.Args[1])
	if err != nil {
		fail(os.Args[1], err)
	}
	for _, entry := range archive.File {
		reader, err := entry.Open()
		if err != nil {
			fail(entry.Name, err)
		}
		if _, err = io.Copy(io.Discard, reader); err != nil {
			fail(entry.Name, err)
		}
		fmt.Println(entry.Name)
	}
}
