/* The registry of cases.
 * Must not know: the work of a case. */
#include "config.h"
#include "bench/bench.h"

bench_options bench_opt;

const bench_case bench_cases[] = {
    { "overhead", "record", "ns to record a node, beside calloc and free of a block of that size", bench_record_ops },
    { "overhead", "graphs",
      "recording, gradient, planning and running of graphs of nine shapes: ns a node at 100,000 nodes beside 1,000; "
      "graphs:1000000 goes up to a million",
      bench_graphs },
    { "overhead", "eval-small",
      "evaluations of 1, 10, 100 tiny ops, beside a loop that calls a function per op, and peers", bench_eval_small },
    { "overhead", "task", "a task of ours, beside a bare empty StarPU task", bench_task },
    { "overhead", "submit", "submitting a task, beside submitting a bare StarPU task", bench_submit },
    { "overhead", "replay", "submissions of a graph that was built once, beside its first", bench_replay },
    { "overhead", "startup", "a process from its start to the first result, beside bare StarPU", bench_startup },
    { "schedule", "bandwidth", "values moved between memories, beside copies by the device's own API",
      bench_bandwidth },
    { "schedule", "nodes", "an array that lies on all memory nodes (NUMA), beside one that lies on one", bench_nodes },
    { "schedule", "gemm", "square f32 matrix products, beside direct BLAS calls on all cores; gemm:64 is one",
      bench_gemm },
    { "schedule", "tile", "tiles as the planner chooses them, beside the best of a sweep: gemm, softmax, training step",
      bench_tile },
    { "schedule", "cholesky",
      "Cholesky factors, beside potrf of the BLAS library on all cores; cholesky:4096 is one size", bench_cholesky },
    { "nn", "conv",
      "convolutions and pooling, forward and backward, beside the same without oneDNN, oneDNN's own primitives, and "
      "peers; conv:groups/data is one",
      bench_conv },
    { "nn", "network",
      "training steps and inference of whole networks, normalisation, attention, recurrence, beside the same without "
      "oneDNN, and peers; network:lenet5/train is one, network:resnet18-224 is measured where it is asked for",
      bench_network },
    { "nn", "network-memory",
      "the most memory that each case of network takes beyond the started library, beside peers",
      bench_network_memory },
    { "science", "linalg",
      "qr, svd, eigh, solve, lstsq: one matrix and batches, beside LAPACK called directly, and peers; linalg:qr/1000/1 "
      "is one",
      bench_linalg },
    { "memory", "peak-memory", "the most memory that a computation takes, beside its inputs and results, and peers",
      bench_memory },
    { "memory", "batch",
      "the batch that orr_optimal_batch chooses beside the best of a sweep, predicted peaks of memory beside measured "
      "ones",
      bench_batch },
    { "memory", "recipes",
      "results on a device whose leaves are kept, so that lost results are computed again, beside leaves that are "
      "dropped",
      bench_recipes },
    { "train", "mlp-step", "one training step of the 784-512-256-10 network, beside its GEMMs alone", bench_mlp_step },
    { "train", "train", "training steps of whole networks, beside their GEMMs alone and peers; train:mnist5 is one",
      bench_train },
    { "private", "privacy",
      "a step of private training beside the plain one, noise per core beside peers; privacy:step is one",
      bench_privacy },
    { "private", "private-sums",
      "masked sums beside ChaCha20, Paillier beside GMP and peers; private-sums:aggregation and private-sums:paillier "
      "are its halves",
      bench_private_sums },
    { "science", "files", "a safetensors file of 1 GB written and read, beside the system's own calls and peers",
      bench_files },
    { "science", "science",
      "sorting, searching, sums along a line, a product of five tensors, transforms, convolutions, beside peers; "
      "science:sort is one",
      bench_science },
    { "private", "private-field", "finite fields and curves beside GMP's products, multiples one by one, and peers",
      bench_private_field },
    { "soak", "soak", "training steps for --seconds: the last tenth's time and memory beside the first's", bench_soak },
    { "serve", "serve", "orrery-serve under 64 clients: products beside the library's own rate, small requests",
      bench_serving },
    { "fusion", "fusion",
      "fused expressions, beside STREAM triad, C loops and peers; fusion:poly6/float32/4096/1 is one", bench_fusion },
    { "train", "data-set", "batches of a lazily normalised data set, beside one that is evaluated before",
      bench_data_set },
    { "simulate", "simulate",
      "heat equation, gravity, k-means, batches of a normalised data set, beside peers; simulate:heat10 is one",
      bench_simulations },
    { "random", "random", "programs drawn at random, beside peers; random:stencils is one family", bench_random },
    { "lengths", "lengths",
      "programs on rows of 1 to 200 elements of every dtype: the time of an element beside that in rows of one element "
      "less; lengths:softmax is one program",
      bench_lengths },
    { "paced", "pause",
      "random programs with 0.1, 1, 3 and 25 ms of the program's own work before each call, on one thread and on a "
      "team of OpenMP, "
      "beside peers or a steady loop",
      bench_pause },
    { "paced", "first",
      "the first 1, 10, 100 and 1000 calls of random programs in fresh processes, cold and warm, beside peers or later "
      "calls",
      bench_first },
    { "paced", "crowd",
      "eight threads that evaluate small programs, beside eight of arithmetic that takes as long alone", bench_crowd },
    { "paced", "host",
      "parallel regions of OpenMP and evaluations in turns, each beside its time alone, and the program's STREAM in a "
      "pause; fails beyond 1.05",
      bench_host },
    { "ablation", "ablation", "short cases with each optional mechanism off; ablation:bundles is one mechanism",
      bench_ablation },
    { 0 },
};
