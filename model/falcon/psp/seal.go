package psp

import (
	"crypto/aes"
	"crypto/cipher"
)

// Decides FAL-S2, FAL-S3.

// Key is a key for AES-GCM. It may be used by several packets, one after the other.
type Key struct {
	aead  cipher.AEAD
	bytes int
	nonce [12]byte // here, for on the stack it would escape
}

// NewKey takes 16 or 32 bytes; the error is BadKey.
func NewKey(raw []byte) (*Key, error) {
	if len(raw) != 16 && len(raw) != 32 {
		return nil, BadKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Key{aead: aead, bytes: len(raw)}, nil
}

// goesWith returns BadVersion or BadKey where the key cannot be that of the version.
func (k *Key) goesWith(v Version) error {
	switch {
	case v > AESGCM256:
		return BadVersion
	case (v == AESGCM128) != (k.bytes == 16):
		return BadKey
	}
	return nil
}

// setNonce: SPI and IV (FAL-S2).
func (k *Key) setNonce(h *Header) []byte {
	be.PutUint32(k.nonce[:], h.SPI)
	be.PutUint64(k.nonce[4:], h.IV)
	return k.nonce[:]
}

// Seal appends header, packet and ICV to dst; the packet is encrypted from the crypt offset on (FAL-S2). packet must
// not lie in dst. The error is BadVersion, BadKey or BadOffset; dst is then as it was.
func (k *Key) Seal(dst []byte, h *Header, packet []byte) ([]byte, error) {
	if err := k.goesWith(h.Version); err != nil {
		return dst, err
	}
	start := len(dst)
	if h.Clear() > h.Bytes()+len(packet) {
		return dst, BadOffset
	}
	dst = append(h.Append(dst), packet...)
	clear := start + h.Clear()
	if h.HasCookie && h.Clear() > HeaderBytes+4*int(h.CryptOffset) {
		// The offset ends before the cookie does. Nothing here seals a cookie.
		return dst[:start], BadOffset
	}
	body := dst[clear:]
	sealed := k.aead.Seal(body[:0], k.setNonce(h), body, dst[start:clear])
	return append(dst[:clear], sealed...), nil
}

// Open checks the packet b, PSP header to ICV, and decrypts it in place: what it returns lies in b, behind the header,
// without the ICV. The error is a Flaw: of Header.Parse, BadVersion, BadKey or BadICV; after BadICV the encrypted part
// of b is spoilt.
func (k *Key) Open(b []byte) (Header, []byte, error) {
	var h Header
	if err := h.Parse(b); err != nil {
		return h, nil, err
	}
	if err := k.goesWith(h.Version); err != nil {
		return h, nil, err
	}
	if h.HasCookie && HeaderBytes+4*int(h.CryptOffset) < h.Bytes() {
		return h, nil, BadOffset
	}
	clear := h.Clear()
	body := b[clear:]
	if _, err := k.aead.Open(body[:0], k.setNonce(&h), body, b[:clear]); err != nil {
		return h, nil, BadICV
	}
	return h, b[h.Bytes() : len(b)-ICVBytes], nil
}
