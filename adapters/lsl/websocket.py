"""A WebSocket client (RFC 6455) of the standard library alone: text in, text out."""

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
from urllib.parse import urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Refused(Exception):
    """What the server answered instead."""


class WebSocket:
    """A connection that lines are said over; `texts` goes through what is answered."""

    def __init__(self, url, token):
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "wss"):
            raise Refused(f"{url}: expected ws:// or wss://")
        is_sealed = parts.scheme == "wss"
        connection = socket.create_connection((parts.hostname, parts.port or (443 if is_sealed else 80)), timeout=30)
        if is_sealed:
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=parts.hostname)
        self.socket = connection
        self.stream = connection.makefile("rb")
        self.lock = threading.Lock()
        key = base64.b64encode(os.urandom(16)).decode()
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        )
        status = self.stream.readline().decode("latin-1").strip()
        headers = {}
        while line := self.stream.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if " 101 " not in f"{status} ":
            length = int(headers.get("content-length", 0))
            raise Refused(f"{status}: {self.stream.read(length).decode(errors='replace')}")
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != expected:
            raise Refused("the server does not speak WebSocket")
        self.socket.settimeout(None)

    def send(self, text):
        self.frame(TEXT, text.encode())

    def frame(self, kind, payload):
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, length)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        with self.lock:
            self.socket.sendall(head + mask + masked)

    def texts(self):
        """What the server says, until it ends."""
        said = b""
        while len(head := self.stream.read(2)) == 2:
            is_last, kind, length = head[0] & 0x80, head[0] & 0x0F, head[1] & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.stream.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.stream.read(8))
            payload = self.stream.read(length)
            if kind == CLOSE:
                self.frame(CLOSE, payload[:2])
                break
            if kind == PING:
                self.frame(PONG, payload)
            if kind > TEXT:
                continue
            said += payload
            if is_last:
                yield said.decode()
                said = b""
        self.socket.close()
