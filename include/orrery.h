/* Orrery: a lazy tensor library. Calls build a graph; nothing runs until a value is requested, or until the values
 * that variables are to get are as much work as is worth a plan (orr_assign). Then element-wise work
 * is fused into kernels, which StarPU schedules over CPU cores and accelerators.
 * This header includes all of the public API. */
#ifndef ORRERY_H
#define ORRERY_H

#include <orrery/status.h>
#include <orrery/dtype.h>
#include <orrery/tensor.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include <orrery/array.h>
#include <orrery/linalg.h>
#include <orrery/fft.h>
#include <orrery/random.h>
#include <orrery/define.h>
#include <orrery/eval.h>
#include <orrery/explain.h>
#include <orrery/dump.h>
#include <orrery/io.h>
#include <orrery/dlpack.h>
#include <orrery/device.h>
#include <orrery/info.h>
#include <orrery/nn.h>
#include <orrery/checkpoint.h>
#include <orrery/conv.h>
#include <orrery/optim.h>
#include <orrery/loss.h>
#include <orrery/norm.h>
#include <orrery/sequence.h>
#include <orrery/layer.h>
#include <orrery/recurrent.h>
#include <orrery/train.h>
#include <orrery/loader.h>
#include <orrery/place.h>
#include <orrery/distribute.h>
#include <orrery/data_parallel.h>
#include <orrery/privacy.h>
#include <orrery/bytes.h>
#include <orrery/share.h>
#include <orrery/paillier.h>
#include <orrery/field.h>

#endif
