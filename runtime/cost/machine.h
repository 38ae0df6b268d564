/* The workers and devices that this process has. The engine fills it in at start; costs, plans and engines read it.
 * Must not know: StarPU, plans. */
#ifndef ORR_COST_MACHINE_H
#define ORR_COST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int workers;                  /* CPU workers, at least 1                                    */
    int nodes;                    /* memory nodes with CPU workers, 1 if their places are not known */
    int devices;                  /* workers that are devices                                   */
    int cuda;                     /* … CUDA devices                                             */
    int cuda_device;              /* CUDA's number of the first of them, -1: there is none      */
    bool opencl;                  /* some are OpenCL devices                                    */
    size_t device_bytes;          /* memory of the smallest device, 0: unknown                  */
    double copy_us, copy_byte_us; /* a copy to a device: its start, each byte; 0: unknown        */
    bool bundles;                 /* one task may carry out several small steps                 */
    bool device_bundles;          /* … of a CUDA device                                         */
    bool whole;                   /* devices alone compute: an operand of a task is one tile    */
    bool graphs;                  /* a large factorisation may be a graph of tasks              */
    bool one_memory;              /* all workers see host memory: outputs may be written over leaves */
} orr__machine;
extern orr__machine orr__machine_here;

#endif
