"""Reads a proof with in-toto's own libraries: envelopes, statements, the test result; signatures with ssh-keygen.

usage: read.py PROOF ALLOWED_SIGNERS IDENTITY SCHEMA
"""

import json
import subprocess
import sys
import tempfile
from base64 import b64encode

import jsonschema
from google.protobuf.json_format import ParseDict
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope

proof, signers, identity, schema = sys.argv[1:]
kinds = []
for line in open(proof, encoding="utf-8"):
    envelope = Envelope.from_dict(json.loads(line))
    payload = json.loads(envelope.payload)
    statement = Statement.copy_from_pb(ParseDict(payload, statement_pb2.Statement()))
    statement.validate()
    kinds.append(statement.pb.predicate_type)
    if statement.pb.predicate_type == "https://in-toto.io/attestation/test-result/v0.1":
        result = ParseDict(payload["predicate"], test_result_pb2.TestResult())
        assert result.result == "PASSED", result.result
        assert len(result.configuration) > 0
    else:
        jsonschema.validate(payload["predicate"], json.load(open(schema, encoding="utf-8")))
    assert len(envelope.signatures) == 1
    for signature in envelope.signatures.values():
        body = b64encode(bytes.fromhex(signature.signature)).decode()
        lines = [body[at : at + 70] for at in range(0, len(body), 70)]
        with tempfile.NamedTemporaryFile("w") as armored:
            armored.write("\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""]))
            armored.flush()
            command = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", identity, "-n", "tribunal-proof"]
            subprocess.run([*command, "-s", armored.name], input=envelope.pae(), check=True, capture_output=True)
print(*sorted(kinds), sep="\n")
