// SPDX-License-Identifier: GPL-2.0-or-later

// A download over QUIC, which a program does as the kernel does TCP: quic-go, with its CUBIC.
//
//	quic serve :4433
//	quic get HOST:4433 SECONDS
//
// The one that gets says every 100 ms how fast it has got bytes since, and at the end how fast it
// has in all:
//
//	0.100 s 4.915200 Mbit/s
//	in all 9.123456 Mbit/s
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
)

const (
	protocol   = "flood" // what both sides call what they speak: a byte one way, and all the rest back
	sayEvery   = 100 * time.Millisecond
	chunkBytes = 64 << 10
)

func main() {
	log.SetFlags(0)
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		err = serve(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "get":
		err = get(os.Args[2], os.Args[3])
	default:
		err = errors.New("usage: quic serve :PORT | quic get HOST:PORT SECONDS")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serve sends to each who asks as much as there is room for.
func serve(address string) error {
	certificate, err := ownCertificate()
	if err != nil {
		return err
	}
	settings := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		NextProtos:   []string{protocol},
	}
	listener, err := quic.ListenAddr(address, settings, nil)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept(context.Background())
		if err != nil {
			return err
		}
		go flood(connection)
	}
}

// flood ends when the other side closes the connection.
func flood(connection *quic.Conn) {
	stream, err := connection.AcceptStream(context.Background())
	for chunk := make([]byte, chunkBytes); err == nil; {
		_, err = stream.Write(chunk)
	}
}

// get asks for bytes, and tells how they come.
func get(address, seconds string) error {
	lasts, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	begun := time.Now()
	// Nobody vouches for the server's certificate, which is new each time.
	settings := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}
	connection, err := quic.DialAddr(context.Background(), address, settings, nil)
	if err != nil {
		return err
	}
	stream, err := connection.OpenStreamSync(context.Background())
	if err != nil {
		return err
	}
	if _, err := stream.Write([]byte{0}); err != nil {
		return err
	}
	end := begun.Add(time.Duration(lasts * float64(time.Second)))
	if err := stream.SetReadDeadline(end); err != nil {
		return err
	}
	if err := receive(stream, begun); !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return connection.CloseWithError(0, "")
}

// receive reads until an error, which it returns.
func receive(from io.Reader, begun time.Time) error {
	var all, since int
	said := begun
	for chunk := make([]byte, chunkBytes); ; {
		bytes, err := from.Read(chunk)
		all, since = all+bytes, since+bytes
		now := time.Now()
		if now.Sub(said) >= sayEvery {
			fmt.Printf("%.3f s %.6f Mbit/s\n", now.Sub(begun).Seconds(), mbps(since, now.Sub(said)))
			since, said = 0, now
		}
		if err != nil {
			fmt.Printf("in all %.6f Mbit/s\n", mbps(all, now.Sub(begun)))
			return err
		}
	}
}

func mbps(bytes int, in time.Duration) float64 {
	return 8e-6 * float64(bytes) / in.Seconds()
}

func ownCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
