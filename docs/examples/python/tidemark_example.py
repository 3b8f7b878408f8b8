#!/usr/bin/python3
"""A thin client of Tidemark: knows only the .proto files, uses Python's own gRPC library.

    apt-get install python3-grpcio protobuf-compiler
    docs/examples/python/tidemark_example.py append 127.0.0.1:7420 orders one two three
    docs/examples/python/tidemark_example.py read   127.0.0.1:7420 orders
    docs/examples/python/tidemark_example.py follow 127.0.0.1:7420 orders

Any server of the cluster takes any call, so one address is enough. Exit code: 0, or 1 with the error on stderr.
"""
import os
import subprocess
import sys
import tempfile

import grpc

PROTO_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../grpc-api/src/main/proto")
SECONDS_MAX = 30


def load_messages():
    """Compiles the .proto files into a temporary directory and imports the message classes."""
    out = tempfile.TemporaryDirectory()
    files = ["tidemark/v1/%s.proto" % name for name in ("record", "errors", "log", "admin")]
    subprocess.run(["protoc", "-I", PROTO_ROOT, "--python_out", out.name] + files, check=True)
    sys.path.insert(0, out.name)
    from tidemark.v1 import admin_pb2, log_pb2, record_pb2

    load_messages.keep = out
    return record_pb2, log_pb2, admin_pb2


record_pb2, log_pb2, admin_pb2 = load_messages()


class Tidemark:
    """The calls that the example needs, straight from the service definitions."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address)

    def _unary(self, service, method, request, reply_type):
        call = self.channel.unary_unary(
            "/tidemark.v1.%s/%s" % (service, method),
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply_type.FromString,
        )
        return call(request, timeout=SECONDS_MAX, wait_for_ready=True)

    def create(self, stream):
        request = admin_pb2.CreateStreamRequest(name=stream)
        return self._unary("AdminService", "CreateStream", request, admin_pb2.CreateStreamResponse)

    def append(self, stream, payloads):
        records = [record_pb2.Record(payload=payload) for payload in payloads]
        request = log_pb2.AppendRequest(stream=stream, records=records)
        return self._unary("LogService", "Append", request, log_pb2.AppendResponse)

    def read(self, stream, offset=0, follow=False):
        """Yields the records from an offset on, up to the present end, or for ever."""
        call = self.channel.unary_stream(
            "/tidemark.v1.LogService/Read",
            request_serializer=log_pb2.ReadRequest.SerializeToString,
            response_deserializer=log_pb2.ReadResponse.FromString,
        )
        position = record_pb2.Position(offset=offset)
        request = log_pb2.ReadRequest(stream=stream, follow=follow, **{"from": position})
        for response in call(request, timeout=None if follow else SECONDS_MAX):
            for stored in response.records:
                yield stored


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("append", "read", "follow"):
        print(__doc__, file=sys.stderr)
        return 2
    command, address, stream = arguments[:3]
    tidemark = Tidemark(address)
    try:
        if command == "append":
            tidemark.create(stream)
            done = tidemark.append(stream, [text.encode() for text in arguments[3:]])
            print("offsets %d to %d" % (done.base_offset, done.end_offset - 1))
        else:
            for stored in tidemark.read(stream, follow=command == "follow"):
                print("%d %s" % (stored.offset, stored.record.payload.decode(errors="replace")), flush=True)
    except grpc.RpcError as error:
        print("%s: %s" % (error.code().name, error.details()), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
