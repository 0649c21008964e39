"""Rank 0, on the DPU."""
import sys

import doca_comm_channel as dcc
from collective import Root
from relax import relax


def main(size):
    device = dcc.open_device("03:00.0")
    comm = Root(device, device.open_representor("b1:00.0"), size)
    print("listening", flush=True)
    comm.wait_for_ranks()
    print("ranks", *sorted(comm.peers))
    print("sum", comm.allreduce([0.0, 0.0]))
    print("max", comm.allreduce([0.0, 0.0], op="max"))
    print("names", comm.gather("dpu"))
    steps = int(comm.bcast("5"))
    print("rank 0", relax(comm, steps))
    comm.barrier()
    for row in comm.finalize():
        print("rank %d: %d in, %d out" % row)


if __name__ == "__main__":
    main(int(sys.argv[1]))
