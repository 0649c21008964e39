"""The ranks of the host: one process each, as mpirun would start them."""
import multiprocessing
import sys

import doca_comm_channel as dcc
from collective import Leaf
from relax import relax


def run(rank, size, results):
    comm = Leaf(dcc.open_device("b1:00.0"), rank, size)
    both = comm.allreduce([float(rank), 10.0 * rank]), comm.allreduce([float(rank), -1.0], "max")
    comm.gather("host %d" % rank)
    x = relax(comm, int(comm.bcast()))
    comm.barrier()
    comm.finalize()
    results.put((rank, both, x))


def main(size):
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    ranks = [context.Process(target=run, args=(rank, size, results)) for rank in range(1, size)]
    for process in ranks:
        process.start()
    for rank, both, x in sorted(results.get(timeout=60) for _ in ranks):
        print("rank", rank, *both, x)
    for process in ranks:
        process.join()
    return sum(process.exitcode for process in ranks)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
