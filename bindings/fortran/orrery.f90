! Orrery for Fortran 2018 (docs/fortran.md): orrery_c has the functions of C, orrery has tensors and arrays.
! Made by bindings/fortran/generate.py from orrery/api.json (make api); do not edit it.

!> Constants, structs and functions as they are in C.
module orrery_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter, public :: ORR_OK = 0
  integer(c_int), parameter, public :: ORR_EINVAL = 1
  integer(c_int), parameter, public :: ORR_ESHAPE = 2
  integer(c_int), parameter, public :: ORR_EDTYPE = 3
  integer(c_int), parameter, public :: ORR_EAXIS = 4
  integer(c_int), parameter, public :: ORR_EINDEX = 5
  integer(c_int), parameter, public :: ORR_ENOMEM = 6
  integer(c_int), parameter, public :: ORR_EIO = 7
  integer(c_int), parameter, public :: ORR_EFORMAT = 8
  integer(c_int), parameter, public :: ORR_ESTATE = 9
  integer(c_int), parameter, public :: ORR_EHANDLE = 10
  integer(c_int), parameter, public :: ORR_EGRAPH = 11
  integer(c_int), parameter, public :: ORR_EDEVICE = 12
  integer(c_int), parameter, public :: ORR_EENV = 13
  integer(c_int), parameter, public :: ORR_ENUMERIC = 14
  integer(c_int), parameter, public :: ORR_ERANK = 15
  integer(c_int), parameter, public :: ORR_ECANCELLED = 16
  integer(c_int), parameter, public :: ORR_EINTERNAL = 17
  integer(c_int), parameter, public :: ORR_LOG_ERROR = 0
  integer(c_int), parameter, public :: ORR_LOG_WARNING = 1
  integer(c_int), parameter, public :: ORR_LOG_INFO = 2
  integer(c_int), parameter, public :: ORR_LOG_DEBUG = 3
  integer(c_int), parameter, public :: ORR_BOOL = 0
  integer(c_int), parameter, public :: ORR_I8 = 1
  integer(c_int), parameter, public :: ORR_I16 = 2
  integer(c_int), parameter, public :: ORR_I32 = 3
  integer(c_int), parameter, public :: ORR_I64 = 4
  integer(c_int), parameter, public :: ORR_U8 = 5
  integer(c_int), parameter, public :: ORR_U16 = 6
  integer(c_int), parameter, public :: ORR_U32 = 7
  integer(c_int), parameter, public :: ORR_U64 = 8
  integer(c_int), parameter, public :: ORR_F16 = 9
  integer(c_int), parameter, public :: ORR_BF16 = 10
  integer(c_int), parameter, public :: ORR_F32 = 11
  integer(c_int), parameter, public :: ORR_F64 = 12
  integer(c_int), parameter, public :: ORR_C64 = 13
  integer(c_int), parameter, public :: ORR_C128 = 14
  integer(c_int), parameter, public :: ORR_FR254 = 15
  integer(c_int), parameter, public :: ORR_FQ254 = 16
  integer(c_int), parameter, public :: ORR_DTYPE_COUNT = 17
  integer(c_int), parameter, public :: ORR_SCATTER_SET = 0
  integer(c_int), parameter, public :: ORR_SCATTER_ADD_ = 1
  integer(c_int), parameter, public :: ORR_SCATTER_MUL = 2
  integer(c_int), parameter, public :: ORR_SCATTER_MIN = 3
  integer(c_int), parameter, public :: ORR_SCATTER_MAX = 4
  integer(c_int), parameter, public :: ORR_KIND_BOOL = 1
  integer(c_int), parameter, public :: ORR_KIND_SIGNED = 2
  integer(c_int), parameter, public :: ORR_KIND_UNSIGNED = 4
  integer(c_int), parameter, public :: ORR_KIND_FLOAT = 8
  integer(c_int), parameter, public :: ORR_KIND_COMPLEX = 16
  integer(c_int), parameter, public :: ORR_KIND_INTEGRAL = 6
  integer(c_int), parameter, public :: ORR_KIND_NUMERIC = 30
  integer(c_int), parameter, public :: ORR_NORM_FROBENIUS = 0
  integer(c_int), parameter, public :: ORR_NORM_NUCLEAR = 1
  integer(c_int), parameter, public :: ORR_NORM_ONE = 2
  integer(c_int), parameter, public :: ORR_NORM_TWO = 3
  integer(c_int), parameter, public :: ORR_NORM_INFINITY = 4
  integer(c_int), parameter, public :: ORR_NORM_LEAST_ONE = 5
  integer(c_int), parameter, public :: ORR_NORM_LEAST_TWO = 6
  integer(c_int), parameter, public :: ORR_NORM_LEAST_INFINITY = 7
  integer(c_int), parameter, public :: ORR_NORM_KINDS = 8
  integer(c_int), parameter, public :: ORR_FFT_BACKWARD = 0
  integer(c_int), parameter, public :: ORR_FFT_ORTHO = 1
  integer(c_int), parameter, public :: ORR_FFT_FORWARD = 2
  integer(c_int), parameter, public :: ORR_CONV_FULL = 0
  integer(c_int), parameter, public :: ORR_CONV_SAME = 1
  integer(c_int), parameter, public :: ORR_CONV_VALID = 2
  integer(c_int), parameter, public :: ORR_CONV_ZERO = 0
  integer(c_int), parameter, public :: ORR_CONV_REFLECT = 1
  integer(c_int), parameter, public :: ORR_CONV_WRAP = 2
  integer(c_int), parameter, public :: ORR_IMAGE_PNG = 0
  integer(c_int), parameter, public :: ORR_IMAGE_JPEG = 1
  integer(c_int), parameter, public :: ORR_DLPACK_CPU = 1
  integer(c_int), parameter, public :: ORR_DLPACK_CUDA = 2
  integer(c_int), parameter, public :: ORR_DLPACK_CUDA_HOST = 3
  integer(c_int), parameter, public :: ORR_DLPACK_INT = 0
  integer(c_int), parameter, public :: ORR_DLPACK_UINT = 1
  integer(c_int), parameter, public :: ORR_DLPACK_FLOAT = 2
  integer(c_int), parameter, public :: ORR_DLPACK_BFLOAT = 4
  integer(c_int), parameter, public :: ORR_DLPACK_COMPLEX = 5
  integer(c_int), parameter, public :: ORR_DLPACK_BOOL = 6
  integer(c_int), parameter, public :: ORR_DLPACK_READ_ONLY = 1
  integer(c_int), parameter, public :: ORR_DLPACK_IS_COPIED = 2
  integer(c_int), parameter, public :: ORR_DEVICE_CPU = 0
  integer(c_int), parameter, public :: ORR_DEVICE_CUDA = 1
  integer(c_int), parameter, public :: ORR_DEVICE_OPENCL = 2
  integer(c_int), parameter, public :: ORR_MEASURE_MEMORY_TOTAL = 0
  integer(c_int), parameter, public :: ORR_MEASURE_MEMORY_FREE = 1
  integer(c_int), parameter, public :: ORR_MEASURE_COMPUTE_UNITS = 2
  integer(c_int), parameter, public :: ORR_MEASURE_TEMPERATURE = 3
  integer(c_int), parameter, public :: ORR_MEASURE_POWER = 4
  integer(c_int), parameter, public :: ORR_MEASURE_UTILISATION = 5
  integer(c_int), parameter, public :: ORR_MEASURE_CLOCK = 6
  integer(c_int), parameter, public :: ORR_MEASURE_MEMORY_CLOCK = 7
  integer(c_int), parameter, public :: ORR_MEASURE_COUNT = 8
  integer(c_int), parameter, public :: ORR_CHANGED_SET = 1
  integer(c_int), parameter, public :: ORR_CHANGED_KNOWN = 2
  integer(c_int), parameter, public :: ORR_CHANGED_READING = 4
  integer(c_int), parameter, public :: ORR_MEMORY_VALUES = 0
  integer(c_int), parameter, public :: ORR_MEMORY_POOL = 1
  integer(c_int), parameter, public :: ORR_MEMORY_SCRATCH = 2
  integer(c_int), parameter, public :: ORR_MEMORY_HANDLES = 3
  integer(c_int), parameter, public :: ORR_MEMORY_GRAPHS = 4
  integer(c_int), parameter, public :: ORR_MEMORY_PLANS = 5
  integer(c_int), parameter, public :: ORR_MEMORY_PROGRAMS = 6
  integer(c_int), parameter, public :: ORR_MEMORY_LIBRARIES = 7
  integer(c_int), parameter, public :: ORR_MEMORY_TABLES = 8
  integer(c_int), parameter, public :: ORR_MEMORY_KERNELS = 9
  integer(c_int), parameter, public :: ORR_MEMORY_MODELS = 10
  integer(c_int), parameter, public :: ORR_MEMORY_OWNERS = 11
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_DEFAULT = 0
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_NONE = 1
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_ZEROS = 2
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_CONSTANT = 3
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_UNIFORM = 4
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_NORMAL = 5
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_GLOROT_UNIFORM = 6
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_GLOROT_NORMAL = 7
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_HE_UNIFORM = 8
  integer(c_int), parameter, public :: ORR_INITIALISER_KIND_HE_NORMAL = 9
  integer(c_int), parameter, public :: ORR_ACTIVATION_LINEAR = 0
  integer(c_int), parameter, public :: ORR_ACTIVATION_RELU = 1
  integer(c_int), parameter, public :: ORR_ACTIVATION_LEAKY_RELU = 2
  integer(c_int), parameter, public :: ORR_ACTIVATION_ELU = 3
  integer(c_int), parameter, public :: ORR_ACTIVATION_GELU = 4
  integer(c_int), parameter, public :: ORR_ACTIVATION_GELU_TANH = 5
  integer(c_int), parameter, public :: ORR_ACTIVATION_SILU = 6
  integer(c_int), parameter, public :: ORR_ACTIVATION_SIGMOID = 7
  integer(c_int), parameter, public :: ORR_ACTIVATION_TANH = 8
  integer(c_int), parameter, public :: ORR_ACTIVATION_SOFTPLUS = 9
  integer(c_int), parameter, public :: ORR_ACTIVATION_MISH = 10
  integer(c_int), parameter, public :: ORR_ACTIVATION_HARDSWISH = 11
  integer(c_int), parameter, public :: ORR_ACTIVATION_SOFTMAX = 12
  integer(c_int), parameter, public :: ORR_ACTIVATION_LOG_SOFTMAX = 13
  integer(c_int), parameter, public :: ORR_OPTIM_SGD = 0
  integer(c_int), parameter, public :: ORR_OPTIM_ADAM = 1
  integer(c_int), parameter, public :: ORR_OPTIM_ADAMW = 2
  integer(c_int), parameter, public :: ORR_OPTIM_RMSPROP = 3
  integer(c_int), parameter, public :: ORR_OPTIM_ADAGRAD = 4
  integer(c_int), parameter, public :: ORR_OPTIM_LAMB = 5
  integer(c_int), parameter, public :: ORR_RESIZE_NEAREST = 0
  integer(c_int), parameter, public :: ORR_RESIZE_LINEAR = 1
  integer(c_int), parameter, public :: ORR_RESIZE_CUBIC = 2
  integer(c_int), parameter, public :: ORR_RESIZE_AREA = 3
  integer(c_int), parameter, public :: ORR_RESIZE_NEAREST_CENTRE = 4
  integer(c_int), parameter, public :: ORR_REDUCTION_MEAN = 0
  integer(c_int), parameter, public :: ORR_REDUCTION_SUM = 1
  integer(c_int), parameter, public :: ORR_REDUCTION_NONE = 2
  integer(c_int), parameter, public :: ORR_REDUCTION_BATCH_MEAN = 3
  integer(c_int), parameter, public :: ORR_CELL_RNN = 0
  integer(c_int), parameter, public :: ORR_CELL_RNN_RELU = 1
  integer(c_int), parameter, public :: ORR_CELL_LSTM = 2
  integer(c_int), parameter, public :: ORR_CELL_GRU = 3
  integer(c_int), parameter, public :: ORR_SCHEDULE_CONSTANT = 0
  integer(c_int), parameter, public :: ORR_SCHEDULE_STEP = 1
  integer(c_int), parameter, public :: ORR_SCHEDULE_COSINE = 2
  integer(c_int), parameter, public :: ORR_SCHEDULE_ONE_CYCLE = 3
  integer(c_int), parameter, public :: ORR_GRID_AXES = 3
  integer(c_int), parameter, public :: ORR_WHOLE = 127
  integer(c_int), parameter, public :: ORR_PLACE_LATENCY = 0
  integer(c_int), parameter, public :: ORR_PLACE_THROUGHPUT = 1
  integer(c_int), parameter, public :: ORR_DP_GAUSSIAN_ = 0
  integer(c_int), parameter, public :: ORR_DP_LAPLACE_ = 1
  integer(c_int), parameter, public :: ORR_DP_PURE = 2
  integer(c_int), parameter, public :: ORR_DP_RDP_ = 0
  integer(c_int), parameter, public :: ORR_DP_PLD = 1
  integer(c_int), parameter, public :: ORR_DP_OLDER = 1
  integer(c_int), parameter, public :: ORR_DP_MOVED = 2
  integer(c_int), parameter, public :: ORR_DP_FLAT = 0
  integer(c_int), parameter, public :: ORR_DP_PER_LAYER = 1
  integer(c_int), parameter, public :: ORR_DP_ADAPTIVE = 2
  integer(c_int), parameter, public :: ORR_MOD_2_32 = 0
  integer(c_int), parameter, public :: ORR_MOD_2_64 = 1
  integer(c_int), parameter, public :: ORR_MOD_P61 = 2
  integer(c_int), parameter, public :: ORR_G1 = 0
  integer(c_int), parameter, public :: ORR_G2 = 1
  integer(c_int), parameter, public :: ORR_MAX_RANK = 8
  integer(c_int), parameter, public :: ORR_FIELD_TEXT_ = 80
  integer(c_int), parameter, public :: ORR_PAILLIER_ID_ = 16
  integer(c_int), parameter, public :: ORR_FIXED_MOST = 60
  integer(c_int), parameter, public :: ORR_NPY_HEADER_ = 512
  integer(c_int), parameter, public :: ORR_MAX_KERNEL_PARAMS = 3
  integer(c_int), parameter, public :: ORR_HEADERS = 3
  integer(c_int), parameter, public :: ORR_MAX_KERNEL_INPUTS = 8

  !> A number of one of three types. A double holds every integer up to 2⁵³ and only some beyond; these hold all.
  type, bind(c), public :: orr_number
    integer(c_int) :: dtype = 0
    real(c_double) :: f = 0
    integer(c_int64_t) :: i = 0
    integer(c_int64_t) :: u = 0
  end type

  !> A shape: rank 0 to 8, each dimension ≥ 0. A 0-d tensor has one element; a tensor with a dimension of 0 has none.
  type, bind(c), public :: orr_shape
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: dim(8) = 0
  end type

  !> A list of axes; negative axes count from the last one.
  type, bind(c), public :: orr_axes
    integer(c_int) :: n = 0
    integer(c_int) :: axis(8) = 0
  end type

  !> One number per axis, for orr_slice and orr_pad.
  type, bind(c), public :: orr_index
    integer(c_int) :: n = 0
    integer(c_int64_t) :: v(8) = 0
  end type

  !> The numbers of a float dtype, or of the parts of a complex one, as doubles.
  type, bind(c), public :: orr_float_facts
    integer(c_int) :: bits = 0
    real(c_double) :: eps = 0
    real(c_double) :: min = 0
    real(c_double) :: max = 0
    real(c_double) :: smallest_normal = 0
  end type

  !> The numbers of an integer dtype.
  type, bind(c), public :: orr_integer_facts
    integer(c_int) :: bits = 0
    integer(c_int64_t) :: min = 0
    integer(c_int64_t) :: max = 0
  end type

  !> The solution X of A · X ≈ B with the least ‖A·X − B‖, and of all those the one with the least ‖X‖.
  type, bind(c), public :: orr_lstsq_result
    type(c_ptr) :: x = c_null_ptr
    type(c_ptr) :: rank = c_null_ptr
    type(c_ptr) :: s = c_null_ptr
  end type

  !> The sign and the logarithm of |det A|: det A = sign · e^logabsdet.
  type, bind(c), public :: orr_slogdet_result
    type(c_ptr) :: sign = c_null_ptr
    type(c_ptr) :: logabsdet = c_null_ptr
  end type

  !> A[p] = L · U, k = min(m, n).
  type, bind(c), public :: orr_lu_result
    type(c_ptr) :: p = c_null_ptr
    type(c_ptr) :: l = c_null_ptr
    type(c_ptr) :: u = c_null_ptr
  end type

  !> A = Q · R.
  type, bind(c), public :: orr_qr_result
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: r = c_null_ptr
  end type

  !> A = U · diag(S) · Vh, k = min(m, n).
  type, bind(c), public :: orr_svd_result
    type(c_ptr) :: u = c_null_ptr
    type(c_ptr) :: s = c_null_ptr
    type(c_ptr) :: vh = c_null_ptr
  end type

  !> A · V = V · diag(W).
  type, bind(c), public :: orr_eigh_result
    type(c_ptr) :: w = c_null_ptr
    type(c_ptr) :: v = c_null_ptr
  end type

  !> A · V = V · diag(W), complex for a real A.
  type, bind(c), public :: orr_eig_result
    type(c_ptr) :: w = c_null_ptr
    type(c_ptr) :: v = c_null_ptr
  end type

  !> Settings of an iteration; { 0 }: the defaults.
  type, bind(c), public :: orr_iteration_options
    real(c_double) :: tolerance = 0
    integer(c_int) :: most = 0
    type(c_funptr) :: precondition = c_null_funptr
    type(c_ptr) :: start = c_null_ptr
  end type

  !> The result of orr_cg.
  type, bind(c), public :: orr_cg_result
    type(c_ptr) :: x = c_null_ptr
    real(c_double) :: residual = 0
    integer(c_int) :: iterations = 0
    logical(c_bool) :: converged = .false.
  end type

  !> The result of orr_lobpcg.
  type, bind(c), public :: orr_lobpcg_result
    type(c_ptr) :: w = c_null_ptr
    type(c_ptr) :: v = c_null_ptr
    real(c_double) :: residual = 0
    integer(c_int) :: iterations = 0
    logical(c_bool) :: converged = .false.
  end type

  !> One operand of a kernel: contiguous, row-major, read-only.
  type, bind(c), public :: orr_kernel_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: dtype = 0
    type(orr_shape) :: shape
  end type

  !> The arguments of a kernel's functions.
  type, bind(c), public :: orr_kernel_args
    integer(c_int) :: n_inputs = 0
    integer(c_int) :: n_params = 0
    type(c_ptr) :: in = c_null_ptr
    type(c_ptr) :: param = c_null_ptr
    type(c_ptr) :: out = c_null_ptr
    integer(c_int) :: out_dtype = 0
    type(orr_shape) :: out_shape
    integer(c_int64_t) :: lo = 0
    integer(c_int64_t) :: hi = 0
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: message = c_null_ptr
    integer(c_size_t) :: message_size = 0
  end type

  !> The arguments of a kernel's derivative.
  type, bind(c), public :: orr_kernel_back
    integer(c_int) :: n_inputs = 0
    integer(c_int) :: n_params = 0
    type(c_ptr) :: in = c_null_ptr
    type(c_ptr) :: out = c_null_ptr
    type(c_ptr) :: g = c_null_ptr
    type(c_ptr) :: param = c_null_ptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> Definition of a kernel. Zero and NULL fields have the stated meaning; texts are copied. A kernel is a pure
  !> function of its inputs and parameters: equal calls may be computed once, and a call may be computed again.
  type, bind(c), public :: orr_kernel_def
    type(c_ptr) :: name = c_null_ptr
    integer(c_int) :: version = 0
    integer(c_int) :: n_inputs = 0
    integer(c_int) :: n_params = 0
    integer(c_int) :: dtypes(8) = 0
    type(c_funptr) :: shape = c_null_funptr
    logical(c_bool) :: rows = .false.
    integer(c_int) :: row_inputs = 0
    type(c_funptr) :: cpu = c_null_funptr
    type(c_ptr) :: opencl = c_null_ptr
    type(c_ptr) :: cuda = c_null_ptr
    type(c_ptr) :: entry = c_null_ptr
    type(c_funptr) :: items = c_null_funptr
    integer(c_int) :: group = 0
    type(c_funptr) :: vjp = c_null_funptr
    real(c_double) :: flops = 0
    type(c_ptr) :: user = c_null_ptr
  end type

  !> Settings for orr_init. A field of zero or NULL leaves the choice to the environment (docs/environment.md), which
  !> also wins where both are set.
  type, bind(c), public :: orr_config
    type(c_ptr) :: engine = c_null_ptr
    type(c_ptr) :: backend = c_null_ptr
    integer(c_int) :: workers = 0
    integer(c_size_t) :: memory_limit = 0
    integer(c_int64_t) :: seed = 0
    logical(c_bool) :: flush_denormals = .false.
    type(c_ptr) :: communicator = c_null_ptr
    type(c_ptr) :: communicator_fortran = c_null_ptr
  end type

  !> Memory of the program, and its length.
  type, bind(c), public :: orr_buffer
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0
  end type

  !> DLTensor: an array in memory.
  type, bind(c), public :: orr_dlpack_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: device_type = 0
    integer(c_int32_t) :: device_id = 0
    integer(c_int32_t) :: ndim = 0
    integer(c_int8_t) :: code = 0
    integer(c_int8_t) :: bits = 0
    integer(c_int16_t) :: lanes = 0
    type(c_ptr) :: shape = c_null_ptr
    type(c_ptr) :: strides = c_null_ptr
    integer(c_int64_t) :: byte_offset = 0
  end type

  !> DLManagedTensor: the unversioned exchange, "dltensor".
  type, bind(c), public :: orr_dlpack_unversioned
    type(orr_dlpack_array) :: array
    type(c_ptr) :: manager = c_null_ptr
    type(c_funptr) :: deleter = c_null_funptr
  end type

  !> DLManagedTensorVersioned: the exchange since DLPack 1.0, "dltensor_versioned".
  type, bind(c), public :: orr_dlpack_versioned
    integer(c_int32_t) :: major = 0
    integer(c_int32_t) :: minor = 0
    type(c_ptr) :: manager = c_null_ptr
    type(c_funptr) :: deleter = c_null_funptr
    integer(c_int64_t) :: flags = 0
    type(orr_dlpack_array) :: array
  end type

  !> One kind of work on one worker, since orr_init or orr_stats_reset. Every task is counted. Of tasks on the calling
  !> thread whose kind takes less than 20 µs one in 16 is timed; the times of the others are extrapolated.
  type, bind(c), public :: orr_stat
    character(kind=c_char) :: kind(64) = c_null_char
    character(kind=c_char) :: worker(48) = c_null_char
    integer(c_int64_t) :: tasks = 0
    real(c_double) :: seconds = 0
  end type

  !> One kind of work on all workers: number of tasks, total time, and the 50th, 95th and 99th percentile of a task's
  !> time (seconds, within 6 %).
  type, bind(c), public :: orr_metric
    character(kind=c_char) :: kind(64) = c_null_char
    integer(c_int64_t) :: tasks = 0
    real(c_double) :: seconds = 0
    real(c_double) :: p50 = 0
    real(c_double) :: p95 = 0
    real(c_double) :: p99 = 0
  end type

  !> One number that a device reports, or the reason why it does not.
  type, bind(c), public :: orr_reading
    integer(c_int) :: status = 0
    real(c_double) :: value = 0
    character(kind=c_char) :: why(96) = c_null_char
  end type

  !> One device. id 0 is the processor with the host's memory; CUDA devices follow in CUDA's order, then OpenCL's in
  !> the order of their platforms. A device that both CUDA and OpenCL drive appears twice.
  type, bind(c), public :: orr_device
    integer(c_int) :: id = 0
    integer(c_int) :: kind = 0
    integer(c_int) :: index = 0
    character(kind=c_char) :: name(96) = c_null_char
    character(kind=c_char) :: address(48) = c_null_char
    character(kind=c_char) :: capability(48) = c_null_char
    type(orr_reading) :: reading(8)
  end type

  !> Host memory that the library holds, in bytes.
  type, bind(c), public :: orr_memory
    integer(c_size_t) :: live = 0
    integer(c_size_t) :: pooled = 0
    integer(c_size_t) :: peak = 0
    integer(c_size_t) :: limit = 0
    integer(c_size_t) :: spilled = 0
    integer(c_size_t) :: spilled_peak = 0
    integer(c_size_t) :: held(11) = 0
    integer(c_size_t) :: total = 0
  end type

  !> One fact, in the group "machine", "library" or "engine": { "machine", "cores", "2" }.
  type, bind(c), public :: orr_fact
    character(kind=c_char) :: group(16) = c_null_char
    character(kind=c_char) :: name(24) = c_null_char
    character(kind=c_char) :: value(200) = c_null_char
  end type

  !> One compiled kernel in the cache on disk (docs/kernel-cache.md).
  type, bind(c), public :: orr_cache_entry
    character(kind=c_char) :: key(65) = c_null_char
    character(kind=c_char) :: label(64) = c_null_char
    character(kind=c_char) :: compiler(192) = c_null_char
    character(kind=c_char) :: facts(128) = c_null_char
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: seconds = 0
    integer(c_int64_t) :: used = 0
    logical(c_bool) :: site = .false.
  end type

  !> One of the numbers by which plans decide where work runs (docs/tuning.md).
  type, bind(c), public :: orr_machine_number
    character(kind=c_char) :: name(16) = c_null_char
    character(kind=c_char) :: unit(16) = c_null_char
    character(kind=c_char) :: meaning(96) = c_null_char
    real(c_double) :: value = 0
    real(c_double) :: fixed = 0
  end type

  !> A performance model: the measured times of one kernel, for one class of sizes, on one kind of device.
  type, bind(c), public :: orr_perfmodel
    character(kind=c_char) :: kernel(64) = c_null_char
    character(kind=c_char) :: device(16) = c_null_char
    integer(c_int64_t) :: samples = 0
    real(c_double) :: size_us = 0
    real(c_double) :: mean_us = 0
    real(c_double) :: deviation_us = 0
    real(c_double) :: predicted_us = 0
  end type

  !> The rule by which a parameter gets its first value: one of the ORR_INITIALISER_ constants, or
  !> ORR_INITIALISER(kind, a, b).
  type, bind(c), public :: orr_initialiser
    integer(c_int) :: kind = 0
    real(c_double) :: a = 0
    real(c_double) :: b = 0
  end type

  !> A variable of a module or an optimiser, and its path. Borrowed: orr_free is ORR_ESTATE, and the variable moves to no scope.
  type, bind(c), public :: orr_parameter
    character(kind=c_char) :: name(64) = c_null_char
    type(c_ptr) :: variable = c_null_ptr
  end type

  !> Settings. In beta1, beta2, alpha and eps a 0 means the default of the kind, so (orr_optim_options){ .lr = 1e-3 } is Adam
  !> with the usual numbers; a number such as 1e-300 has the effect of a 0. In all other fields 0 is 0: lr must be given (0 is
  !> ORR_EINVAL; orr_optim_set_lr may make it 0 later), and ADAMW and LAMB have no weight decay unless it is. orr_optim_defaults sets
  !> every field. A kind ignores the fields that its formula does not name.
  type, bind(c), public :: orr_optim_options
    real(c_double) :: lr = 0
    real(c_double) :: weight_decay = 0
    real(c_double) :: momentum = 0
    real(c_double) :: dampening = 0
    real(c_double) :: beta1 = 0
    real(c_double) :: beta2 = 0
    real(c_double) :: alpha = 0
    real(c_double) :: eps = 0
    real(c_double) :: lr_decay = 0
    real(c_double) :: initial = 0
    real(c_double) :: clip_norm = 0
    logical(c_bool) :: nesterov = .false.
    logical(c_bool) :: centred = .false.
    logical(c_bool) :: amsgrad = .false.
  end type

  !> The options of a convolution: one number per spatial axis, in the order of the axes. Zeros are the defaults.
  type, bind(c), public :: orr_conv_options
    integer(c_int64_t) :: stride(3) = 0
    integer(c_int64_t) :: dilation(3) = 0
    integer(c_int64_t) :: padding(3) = 0
    integer(c_int64_t) :: before(3) = 0
    integer(c_int64_t) :: after(3) = 0
    logical(c_bool) :: same = .false.
    integer(c_int64_t) :: groups = 0
    integer(c_int64_t) :: output_padding(3) = 0
  end type

  !> The options of pooling: one number per spatial axis, in the order of the axes. Zeros are the defaults.
  type, bind(c), public :: orr_pool_options
    integer(c_int64_t) :: window(3) = 0
    integer(c_int64_t) :: stride(3) = 0
    integer(c_int64_t) :: dilation(3) = 0
    integer(c_int64_t) :: padding(3) = 0
    logical(c_bool) :: round_up = .false.
    logical(c_bool) :: exclude_padding = .false.
    integer(c_int64_t) :: size(3) = 0
  end type

  !> Options of losses over classes. All zero: the plain loss.
  type, bind(c), public :: orr_class_options
    type(c_ptr) :: weight = c_null_ptr
    real(c_double) :: label_smoothing = 0
    logical(c_bool) :: ignores = .false.
    integer(c_int64_t) :: ignored = 0
    integer(c_int) :: reduction = 0
  end type

  !> Options of orr_attention. All zero: every query sees every key, scale 1/√width, no dropout.
  type, bind(c), public :: orr_attention_options
    logical(c_bool) :: causal = .false.
    integer(c_int64_t) :: window = 0
    real(c_double) :: scale = 0
    real(c_double) :: dropout = 0
  end type

  !> Options of layers that normalise. All zero: eps 1e-5, momentum 0.1, weight and bias, running statistics.
  type, bind(c), public :: orr_norm_options
    real(c_double) :: eps = 0
    real(c_double) :: momentum = 0
    logical(c_bool) :: plain = .false.
    logical(c_bool) :: no_statistics = .false.
  end type

  !> Options of layers with attention. All zero: as many heads of keys as of queries, queries see all keys, biases, no
  !> dropout.
  type, bind(c), public :: orr_heads_options
    integer(c_int64_t) :: kv_heads = 0
    logical(c_bool) :: causal = .false.
    integer(c_int64_t) :: window = 0
    real(c_double) :: dropout = 0
    real(c_double) :: rotary = 0
    logical(c_bool) :: no_bias = .false.
    logical(c_bool) :: norm_first = .false.
    integer(c_int) :: activation = 0
    real(c_double) :: block_dropout = 0
    real(c_double) :: eps = 0
    logical(c_bool) :: alibi = .false.
  end type

  !> The tensors of a scan: lists and their lengths.
  type, bind(c), public :: orr_scan_lists
    type(c_ptr) :: carry = c_null_ptr
    type(c_ptr) :: x = c_null_ptr
    type(c_ptr) :: y = c_null_ptr
    integer(c_int) :: n_carry = 0
    integer(c_int) :: n_x = 0
    integer(c_int) :: n_y = 0
    integer(c_int64_t) :: steps = 0
  end type

  !> Options of a scan. All zero: unrolled, forwards.
  type, bind(c), public :: orr_scan_options
    logical(c_bool) :: reverse = .false.
    logical(c_bool) :: loop = .false.
  end type

  !> Options of recurrent layers. All zero: one layer, one direction, biases.
  type, bind(c), public :: orr_recurrent_options
    integer(c_int) :: layers = 0
    logical(c_bool) :: bidirectional = .false.
    logical(c_bool) :: no_bias = .false.
    real(c_double) :: dropout = 0
  end type

  !> A rule and its numbers.
  type, bind(c), public :: orr_schedule
    integer(c_int) :: kind = 0
    real(c_double) :: lr = 0
    integer(c_int64_t) :: warm_up = 0
    integer(c_int64_t) :: steps = 0
    real(c_double) :: least = 0
    integer(c_int64_t) :: every = 0
    real(c_double) :: factor = 0
    real(c_double) :: rise = 0
    real(c_double) :: start = 0
    real(c_double) :: end = 0
  end type

  !> Reduction of the learning rate when the loss stops improving. Begin with the first three fields set and the
  !> others 0.
  type, bind(c), public :: orr_plateau
    real(c_double) :: factor = 0
    integer(c_int) :: patience = 0
    real(c_double) :: threshold = 0
    real(c_double) :: least = 0
    real(c_double) :: best = 0
    integer(c_int64_t) :: seen = 0
    integer(c_int) :: waited = 0
  end type

  !> End of training when the loss stops improving. Begin with `patience` and `threshold` set and the others 0.
  type, bind(c), public :: orr_early_stop
    integer(c_int) :: patience = 0
    real(c_double) :: threshold = 0
    real(c_double) :: best = 0
    integer(c_int64_t) :: seen = 0
    integer(c_int64_t) :: at = 0
  end type

  !> The scale of losses whose gradients would underflow in f16. Begin with all 0: scale 65536, doubled after 2000 steps without
  !> an overflow, halved after one.
  type, bind(c), public :: orr_loss_scale
    real(c_double) :: scale = 0
    integer(c_int) :: interval = 0
    integer(c_int64_t) :: good = 0
    integer(c_int64_t) :: skipped = 0
  end type

  !> Options of a loader. All zero but `batch`: in order, the last batch may be short, two batches are read ahead.
  type, bind(c), public :: orr_loader_options
    integer(c_int64_t) :: batch = 0
    logical(c_bool) :: shuffle = .false.
    logical(c_bool) :: drop_last = .false.
    integer(c_int64_t) :: seed = 0
    integer(c_int) :: ahead = 0
    integer(c_int64_t) :: crop = 0
    type(c_ptr) :: grid = c_null_ptr
    logical(c_bool) :: flip = .false.
  end type

  !> The plan of an evaluation in numbers. Bytes are of values: kernels, the runtime and unused pages are not counted.
  type, bind(c), public :: orr_memory_plan
    integer(c_int64_t) :: inputs = 0
    integer(c_int64_t) :: results = 0
    integer(c_int64_t) :: work = 0
    integer(c_int64_t) :: scratch = 0
    integer(c_int64_t) :: host = 0
    integer(c_int64_t) :: most = 0
    integer(c_int64_t) :: device = 0
    integer(c_int) :: steps = 0
    integer(c_int) :: tasks = 0
    real(c_double) :: seconds = 0
  end type

  !> A choice of batch sizes.
  type, bind(c), public :: orr_batch_choice
    integer(c_int64_t) :: largest = 0
    integer(c_int64_t) :: fastest = 0
    integer(c_int64_t) :: peak = 0
    real(c_double) :: seconds = 0
  end type

  !> A part of a model. The parts of a list run in order.
  type, bind(c), public :: orr_shard_
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: flops = 0
    integer(c_int64_t) :: out_bytes = 0
  end type

  !> A device that parts may be placed on.
  type, bind(c), public :: orr_place_device
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: flops_per_second = 0
    real(c_double) :: bytes_per_second = 0
    real(c_double) :: latency = 0
  end type

  !> The quality of a placement.
  type, bind(c), public :: orr_placement
    real(c_double) :: seconds = 0
    real(c_double) :: bound = 0
    logical(c_bool) :: optimal = .false.
    integer(c_int64_t) :: nodes = 0
  end type

  !> Options of orr_data_parallel. All zero: one axis of all ranks, and the whole state on each. Sharded state is the first stage
  !> of ZeRO (S. Rajbhandari et al., 2020): less memory and less work for each rank, and the same number of bytes sent.
  !> With compress a rank sends bf16(g + e) for its part g of a gradient, and e' = g + e − bf16(g + e) is added to its part in the next
  !> step (F. Seide et al., 2014; S. P. Karimireddy et al., 2019); the sums are computed in the dtype of the step, rounded and fed back
  !> likewise (H. Tang et al., 2019; with shard_state they are not rounded). e is state of the optimiser ("unsent"): one element for each
  !> of the parameters on every rank. An element that is not finite leaves no e.
  type, bind(c), public :: orr_data_parallel_options
    type(c_ptr) :: grid = c_null_ptr
    logical(c_bool) :: shard_state = .false.
    logical(c_bool) :: compress = .false.
  end type

  !> A mechanism on a Poisson sample: each record takes part independently with probability q; q = 1: all records.
  type, bind(c), public :: orr_dp_mechanism
    integer(c_int) :: kind = 0
    real(c_double) :: noise = 0
    real(c_double) :: q = 0
  end type

  !> Settings of private training; start from orr_dp_defaults and set at least q and sigma.
  type, bind(c), public :: orr_dp_options
    integer(c_int) :: clipping = 0
    real(c_double) :: clip = 0
    real(c_double) :: sigma = 0
    real(c_double) :: q = 0
    integer(c_int64_t) :: most = 0
    real(c_double) :: quantile = 0
    real(c_double) :: rate = 0
    real(c_double) :: count_sigma = 0
    logical(c_bool) :: secure = .false.
    type(c_funptr) :: loss = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: budget = c_null_ptr
  end type

  !> Bytes and their number. The caller owns the bytes of a struct that a function has filled, and passes it to
  !> orr_bytes_free. As an argument it may point to the caller's own memory.
  type, bind(c), public :: orr_bytes
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: size = 0
  end type

  !> The encoding of real numbers as integers modulo M: x becomes round(x · 2^fraction), to nearest, ties to even; a
  !> negative integer v becomes M + v. Sums of up to `addends` encoded numbers are exact, because each of them is at
  !> most ⌊(⌈M/2⌉ − 1) / addends⌋ in magnitude. Encoding refuses larger numbers.
  type, bind(c), public :: orr_fixed
    integer(c_int) :: modulus = 0
    integer(c_int) :: fraction = 0
    integer(c_int64_t) :: addends = 0
  end type

  !> The configuration of a run of secure aggregation. n clients hold vectors; the server learns their sum over the remaining
  !> clients, and nothing else. Clients may drop out after any round, as long as `threshold` remain. A client's vector is hidden from
  !> the server only while fewer than `threshold` parties work together, and only if the server forwards the clients' public keys
  !> unchanged or the clients sign them (orr_secagg_identity).
  !>
  !> Source: Bonawitz et al., "Practical secure aggregation for privacy-preserving machine learning", CCS 2017. Each pair of clients
  !> agrees on a key by X25519, and each client draws a key of its own. ChaCha20 expands the keys to masks, which are added to the
  !> encoded vector and cancel in the sum. Keys and seeds are Shamir-shared among the clients, so that the masks of dropped clients
  !> can be removed.
  !>
  !> Parties exchange byte strings, over a transport of the caller's, or within one process. One object is one party in one run; its
  !> functions are called in the order of the rounds:
  !>
  !>     round  client                                  server
  !>     0      orr_secagg_advertise →                  orr_secagg_receive each, orr_secagg_close
  !>     1      orr_secagg_share_keys ← orr_secagg_send; its answer → orr_secagg_receive, orr_secagg_close
  !>     2      orr_secagg_mask ← orr_secagg_send; →    orr_secagg_receive, orr_secagg_close
  !>     3      orr_secagg_confirm ← orr_secagg_send; → orr_secagg_receive, orr_secagg_close    (only with identities)
  !>     4      orr_secagg_unmask ← orr_secagg_send; →  orr_secagg_receive, orr_secagg_result
  !>
  !> Messages are not trusted: header, length, round, run and sender are checked, and a wrong message is ORR_EFORMAT or ORR_ESTATE
  !> and changes nothing. Messages to the server have no encryption except that of the protocol: the transport must authenticate
  !> its ends (TLS does). Threads may use different objects at once, but not the same one.
  type, bind(c), public :: orr_secagg_config
    integer(c_int) :: clients = 0
    integer(c_int) :: threshold = 0
    integer(c_int64_t) :: length = 0
    type(orr_fixed) :: encoding
    integer(c_signed_char) :: session(32) = 0
    type(c_ptr) :: identities = c_null_ptr
  end type

  !> The encoding of numbers as integers, and the number of integers that share a ciphertext. x is the integer round(x ·
  !> 2^fraction), at most b = round(most · 2^fraction) < 2^62 in magnitude. A slot has s bits, 2^(s−1) > b · headroom, so
  !> that every sum of weights w times such integers with Σ|w| ≤ headroom fits; ⌊(bits − 2)/s⌋ slots fit into a ciphertext.
  !> An operation refuses a result that might not fit: a ciphertext carries the bound of its slots. This is public, and
  !> reflects the magnitudes of the plain operands used so far.
  type, bind(c), public :: orr_packing
    integer(c_int) :: fraction = 0
    real(c_double) :: most = 0
    real(c_double) :: headroom = 0
    integer(c_int) :: slots = 0
  end type

  !> See orrery/field.h.
  type, bind(c), public :: orr_field_division
    type(c_ptr) :: quotient = c_null_ptr
    type(c_ptr) :: remainder = c_null_ptr
  end type

  interface
    function c_status_name(s_) bind(c, name='orr_status_name') result(r_)
      import
      integer(c_int), value :: s_
      type(c_ptr) :: r_
    end function
    function c_error_message() bind(c, name='orr_error_message') result(r_)
      import
      type(c_ptr) :: r_
    end function
    function c_error_status() bind(c, name='orr_error_status') result(r_)
      import
      integer(c_int) :: r_
    end function
    subroutine c_error_clear() bind(c, name='orr_error_clear')
      import

    end subroutine
    function c_error_print(to_) bind(c, name='orr_error_print') result(r_)
      import
      type(c_ptr), value :: to_
      integer(c_int) :: r_
    end function
    subroutine c_log_to(fn_, user_) bind(c, name='orr_log_to')
      import
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
    end subroutine
    function c_dtype_size(t_) bind(c, name='orr_dtype_size') result(r_)
      import
      integer(c_int), value :: t_
      integer(c_size_t) :: r_
    end function
    function c_dtype_name(t_) bind(c, name='orr_dtype_name') result(r_)
      import
      integer(c_int), value :: t_
      type(c_ptr) :: r_
    end function
    function c_shape_format(s_, buf_, size_) bind(c, name='orr_shape_format') result(r_)
      import
      type(orr_shape), value :: s_
      type(c_ptr), value :: buf_
      integer(c_size_t), value :: size_
      type(c_ptr) :: r_
    end function
    function c_scope_begin() bind(c, name='orr_scope_begin') result(r_)
      import
      type(c_ptr) :: r_
    end function
    function c_scope_end(file_, line_, s_) bind(c, name='orr_scope_end_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      integer(c_int) :: r_
    end function
    function c_keep(file_, line_, t_) bind(c, name='orr_keep_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_scope_return(file_, line_, s_, t_) bind(c, name='orr_scope_return_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_free(file_, line_, t_) bind(c, name='orr_free_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_tensor_status(t_) bind(c, name='orr_tensor_status') result(r_)
      import
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    subroutine c_tensor_shape(r_, t_) bind(c, name='orr__fortran_tensor_shape')
      import
      type(orr_shape), intent(out) :: r_
      type(c_ptr), value :: t_
    end subroutine
    function c_tensor_dtype(t_) bind(c, name='orr_tensor_dtype') result(r_)
      import
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_tensor_size(t_) bind(c, name='orr_tensor_size') result(r_)
      import
      type(c_ptr), value :: t_
      integer(c_int64_t) :: r_
    end function
    function c_from(file_, line_, dtype_, shape_, data_) bind(c, name='orr_from_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: data_
      type(c_ptr) :: r_
    end function
    function c_wrap(file_, line_, dtype_, shape_, data_, release_, user_) bind(c, name='orr_wrap_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: data_
      type(c_funptr), value :: release_
      type(c_ptr), value :: user_
      type(c_ptr) :: r_
    end function
    function c_zeros(file_, line_, dtype_, shape_) bind(c, name='orr_zeros_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_ones(file_, line_, dtype_, shape_) bind(c, name='orr_ones_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_full(file_, line_, dtype_, shape_, value_) bind(c, name='orr_full_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: value_
      type(c_ptr) :: r_
    end function
    function c_full_number(file_, line_, dtype_, shape_, value_) bind(c, name='orr_full_number_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(orr_number), value :: value_
      type(c_ptr) :: r_
    end function
    function c_full_complex(file_, line_, dtype_, shape_, re_, im_) bind(c, name='orr_full_complex_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: re_
      real(c_double), value :: im_
      type(c_ptr) :: r_
    end function
    function c_scalar(file_, line_, value_) bind(c, name='orr_scalar_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: value_
      type(c_ptr) :: r_
    end function
    function c_scalar_complex(file_, line_, re_, im_) bind(c, name='orr_scalar_complex_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: re_
      real(c_double), value :: im_
      type(c_ptr) :: r_
    end function
    function c_arange(file_, line_, dtype_, start_, stop_, step_) bind(c, name='orr_arange_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      real(c_double), value :: start_
      real(c_double), value :: stop_
      real(c_double), value :: step_
      type(c_ptr) :: r_
    end function
    function c_arange_number(file_, line_, dtype_, start_, stop_, step_) bind(c, name='orr_arange_number_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_number), value :: start_
      type(orr_number), value :: stop_
      type(orr_number), value :: step_
      type(c_ptr) :: r_
    end function
    function c_linspace(file_, line_, dtype_, start_, stop_, n_) bind(c, name='orr_linspace_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      real(c_double), value :: start_
      real(c_double), value :: stop_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_eye(file_, line_, dtype_, rows_, cols_, k_) bind(c, name='orr_eye_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: rows_
      integer(c_int64_t), value :: cols_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_variable(file_, line_, t_) bind(c, name='orr_variable_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_assign(file_, line_, v_, t_) bind(c, name='orr_assign_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: v_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_assign_all(file_, line_, v_, t_, n_) bind(c, name='orr_assign_all_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: v_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_read(file_, line_, t_, buf_, bytes_) bind(c, name='orr_read_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: buf_
      integer(c_size_t), value :: bytes_
      integer(c_int) :: r_
    end function
    function c_data(file_, line_, t_) bind(c, name='orr_data_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_item(file_, line_, t_, value_) bind(c, name='orr_item_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: value_
      integer(c_int) :: r_
    end function
    function c_item_number(file_, line_, t_, value_) bind(c, name='orr_item_number_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: value_
      integer(c_int) :: r_
    end function
    function c_item_complex(file_, line_, t_, re_, im_) bind(c, name='orr_item_complex_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: re_
      type(c_ptr), value :: im_
      integer(c_int) :: r_
    end function
    function c_print(file_, line_, to_, t_) bind(c, name='orr_print_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: to_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_add(file_, line_, x_, y_) bind(c, name='orr_add_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_sub(file_, line_, x_, y_) bind(c, name='orr_sub_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_mul(file_, line_, x_, y_) bind(c, name='orr_mul_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_div(file_, line_, x_, y_) bind(c, name='orr_div_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_floor_divide(file_, line_, x_, y_) bind(c, name='orr_floor_divide_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_remainder(file_, line_, x_, y_) bind(c, name='orr_remainder_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_pow(file_, line_, x_, y_) bind(c, name='orr_pow_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_fma(file_, line_, x_, y_, z_) bind(c, name='orr_fma_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr), value :: z_
      type(c_ptr) :: r_
    end function
    function c_neg(file_, line_, x_) bind(c, name='orr_neg_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_positive(file_, line_, x_) bind(c, name='orr_positive_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_abs(file_, line_, x_) bind(c, name='orr_abs_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_sign(file_, line_, x_) bind(c, name='orr_sign_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_square(file_, line_, x_) bind(c, name='orr_square_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_reciprocal(file_, line_, x_) bind(c, name='orr_reciprocal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_sqrt(file_, line_, x_) bind(c, name='orr_sqrt_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_rsqrt(file_, line_, x_) bind(c, name='orr_rsqrt_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_hypot(file_, line_, x_, y_) bind(c, name='orr_hypot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_ceil(file_, line_, x_) bind(c, name='orr_ceil_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_floor(file_, line_, x_) bind(c, name='orr_floor_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_trunc(file_, line_, x_) bind(c, name='orr_trunc_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_round(file_, line_, x_) bind(c, name='orr_round_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_copysign(file_, line_, x_, y_) bind(c, name='orr_copysign_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_nextafter(file_, line_, x_, y_) bind(c, name='orr_nextafter_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_signbit(file_, line_, x_) bind(c, name='orr_signbit_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_isfinite(file_, line_, x_) bind(c, name='orr_isfinite_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_isinf(file_, line_, x_) bind(c, name='orr_isinf_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_isnan(file_, line_, x_) bind(c, name='orr_isnan_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_maximum(file_, line_, x_, y_) bind(c, name='orr_maximum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_minimum(file_, line_, x_, y_) bind(c, name='orr_minimum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_clip(file_, line_, x_, y_, z_) bind(c, name='orr_clip_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr), value :: z_
      type(c_ptr) :: r_
    end function
    function c_where(file_, line_, x_, y_, z_) bind(c, name='orr_where_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr), value :: z_
      type(c_ptr) :: r_
    end function
    function c_equal(file_, line_, x_, y_) bind(c, name='orr_equal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_not_equal(file_, line_, x_, y_) bind(c, name='orr_not_equal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_less(file_, line_, x_, y_) bind(c, name='orr_less_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_less_equal(file_, line_, x_, y_) bind(c, name='orr_less_equal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_greater(file_, line_, x_, y_) bind(c, name='orr_greater_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_greater_equal(file_, line_, x_, y_) bind(c, name='orr_greater_equal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_logical_and(file_, line_, x_, y_) bind(c, name='orr_logical_and_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_logical_or(file_, line_, x_, y_) bind(c, name='orr_logical_or_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_logical_xor(file_, line_, x_, y_) bind(c, name='orr_logical_xor_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_logical_not(file_, line_, x_) bind(c, name='orr_logical_not_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_bitwise_and(file_, line_, x_, y_) bind(c, name='orr_bitwise_and_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_bitwise_or(file_, line_, x_, y_) bind(c, name='orr_bitwise_or_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_bitwise_xor(file_, line_, x_, y_) bind(c, name='orr_bitwise_xor_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_bitwise_invert(file_, line_, x_) bind(c, name='orr_bitwise_invert_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_bitwise_left_shift(file_, line_, x_, y_) bind(c, name='orr_bitwise_left_shift_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_bitwise_right_shift(file_, line_, x_, y_) bind(c, name='orr_bitwise_right_shift_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_exp(file_, line_, x_) bind(c, name='orr_exp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_expm1(file_, line_, x_) bind(c, name='orr_expm1_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_log(file_, line_, x_) bind(c, name='orr_log_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_log1p(file_, line_, x_) bind(c, name='orr_log1p_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_log2(file_, line_, x_) bind(c, name='orr_log2_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_log10(file_, line_, x_) bind(c, name='orr_log10_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_logaddexp(file_, line_, x_, y_) bind(c, name='orr_logaddexp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_sin(file_, line_, x_) bind(c, name='orr_sin_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_cos(file_, line_, x_) bind(c, name='orr_cos_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_tan(file_, line_, x_) bind(c, name='orr_tan_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_asin(file_, line_, x_) bind(c, name='orr_asin_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_acos(file_, line_, x_) bind(c, name='orr_acos_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_atan(file_, line_, x_) bind(c, name='orr_atan_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_atan2(file_, line_, x_, y_) bind(c, name='orr_atan2_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_sinh(file_, line_, x_) bind(c, name='orr_sinh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_cosh(file_, line_, x_) bind(c, name='orr_cosh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_tanh(file_, line_, x_) bind(c, name='orr_tanh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_asinh(file_, line_, x_) bind(c, name='orr_asinh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_acosh(file_, line_, x_) bind(c, name='orr_acosh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_atanh(file_, line_, x_) bind(c, name='orr_atanh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_erf(file_, line_, x_) bind(c, name='orr_erf_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_erfc(file_, line_, x_) bind(c, name='orr_erfc_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_sigmoid(file_, line_, x_) bind(c, name='orr_sigmoid_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_softplus(file_, line_, x_) bind(c, name='orr_softplus_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_relu(file_, line_, x_) bind(c, name='orr_relu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_prelu(file_, line_, x_, y_) bind(c, name='orr_prelu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_elu_with(file_, line_, x_, y_) bind(c, name='orr_elu_with_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_silu(file_, line_, x_) bind(c, name='orr_silu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_mish(file_, line_, x_) bind(c, name='orr_mish_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_gelu_tanh(file_, line_, x_) bind(c, name='orr_gelu_tanh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_gelu(file_, line_, x_) bind(c, name='orr_gelu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_hardswish(file_, line_, x_) bind(c, name='orr_hardswish_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_complex(file_, line_, x_, y_) bind(c, name='orr_complex_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_real(file_, line_, x_) bind(c, name='orr_real_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_imag(file_, line_, x_) bind(c, name='orr_imag_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_conj(file_, line_, x_) bind(c, name='orr_conj_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_angle(file_, line_, x_) bind(c, name='orr_angle_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_cast(file_, line_, x_, dtype_) bind(c, name='orr_cast_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: dtype_
      type(c_ptr) :: r_
    end function
    function c_reshape(file_, line_, x_, shape_) bind(c, name='orr_reshape_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_permute(file_, line_, x_, axes_) bind(c, name='orr_permute_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_transpose(file_, line_, x_) bind(c, name='orr_transpose_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_broadcast_to(file_, line_, x_, shape_) bind(c, name='orr_broadcast_to_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_squeeze(file_, line_, x_, axes_) bind(c, name='orr_squeeze_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_expand_dims(file_, line_, x_, axis_) bind(c, name='orr_expand_dims_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_slice(file_, line_, x_, start_, stop_, step_) bind(c, name='orr_slice_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: start_
      type(orr_index), value :: stop_
      type(orr_index), value :: step_
      type(c_ptr) :: r_
    end function
    function c_slice_axis(file_, line_, x_, axis_, start_, stop_, step_) bind(c, name='orr_slice_axis_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      integer(c_int64_t), value :: start_
      integer(c_int64_t), value :: stop_
      integer(c_int64_t), value :: step_
      type(c_ptr) :: r_
    end function
    function c_select(file_, line_, x_, axis_, index_) bind(c, name='orr_select_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      integer(c_int64_t), value :: index_
      type(c_ptr) :: r_
    end function
    function c_sliding_window(file_, line_, x_, axis_, length_, step_) bind(c, name='orr_sliding_window_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      integer(c_int64_t), value :: length_
      integer(c_int64_t), value :: step_
      type(c_ptr) :: r_
    end function
    function c_flip(file_, line_, x_, axes_) bind(c, name='orr_flip_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_sum(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_sum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_prod(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_prod_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_mean(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_mean_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_var(file_, line_, x_, axes_, ddof_, keepdims_) bind(c, name='orr_var_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      real(c_double), value :: ddof_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_std(file_, line_, x_, axes_, ddof_, keepdims_) bind(c, name='orr_std_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      real(c_double), value :: ddof_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_norm(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_logsumexp(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_logsumexp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_min(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_min_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_max(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_max_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_any(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_any_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_all(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_all_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_argmax(file_, line_, x_, axis_, keepdims_) bind(c, name='orr_argmax_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_argmin(file_, line_, x_, axis_, keepdims_) bind(c, name='orr_argmin_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_cumulative_sum(file_, line_, x_, axis_, include_initial_) bind(c, name='orr_cumulative_sum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: include_initial_
      type(c_ptr) :: r_
    end function
    function c_cumulative_prod(file_, line_, x_, axis_, include_initial_) bind(c, name='orr_cumulative_prod_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: include_initial_
      type(c_ptr) :: r_
    end function
    function c_sort(file_, line_, x_, axis_, descending_) bind(c, name='orr_sort_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: descending_
      type(c_ptr) :: r_
    end function
    function c_argsort(file_, line_, x_, axis_, descending_) bind(c, name='orr_argsort_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      logical(c_bool), value :: descending_
      type(c_ptr) :: r_
    end function
    function c_matmul(file_, line_, a_, b_) bind(c, name='orr_matmul_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_cholesky(file_, line_, a_) bind(c, name='orr_cholesky_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    function c_solve_triangular(file_, line_, a_, b_, lower_, transpose_, unit_) bind(c, &
        name='orr_solve_triangular_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      logical(c_bool), value :: lower_
      logical(c_bool), value :: transpose_
      logical(c_bool), value :: unit_
      type(c_ptr) :: r_
    end function
    function c_solve_cholesky(file_, line_, l_, b_) bind(c, name='orr_solve_cholesky_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: l_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_logdet(file_, line_, a_) bind(c, name='orr_logdet_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    function c_take(file_, line_, x_, indices_, axis_) bind(c, name='orr_take_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_scatter_add(file_, line_, x_, indices_, updates_, axis_) bind(c, name='orr_scatter_add_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      type(c_ptr), value :: updates_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_one_hot(file_, line_, indices_, n_, dtype_) bind(c, name='orr_one_hot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: indices_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: dtype_
      type(c_ptr) :: r_
    end function
    function c_tril(file_, line_, x_, k_) bind(c, name='orr_tril_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_triu(file_, line_, x_, k_) bind(c, name='orr_triu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_concat(file_, line_, t_, n_, axis_) bind(c, name='orr_concat_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_stack(file_, line_, t_, n_, axis_) bind(c, name='orr_stack_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_pad(file_, line_, x_, lo_, hi_, value_) bind(c, name='orr_pad_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: lo_
      type(orr_index), value :: hi_
      real(c_double), value :: value_
      type(c_ptr) :: r_
    end function
    function c_elu(file_, line_, x_, alpha_) bind(c, name='orr_elu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: alpha_
      type(c_ptr) :: r_
    end function
    function c_leaky_relu(file_, line_, x_, slope_) bind(c, name='orr_leaky_relu_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: slope_
      type(c_ptr) :: r_
    end function
    function c_softmax(file_, line_, x_, axis_) bind(c, name='orr_softmax_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_log_softmax(file_, line_, x_, axis_) bind(c, name='orr_log_softmax_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_cross_entropy(file_, line_, logits_, labels_) bind(c, name='orr_cross_entropy_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: logits_
      type(c_ptr), value :: labels_
      type(c_ptr) :: r_
    end function
    function c_mse(file_, line_, x_, y_) bind(c, name='orr_mse_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_zeros_like(file_, line_, x_) bind(c, name='orr_zeros_like_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_ones_like(file_, line_, x_) bind(c, name='orr_ones_like_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_full_like(file_, line_, x_, value_) bind(c, name='orr_full_like_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: value_
      type(c_ptr) :: r_
    end function
    function c_clip_between(file_, line_, x_, low_, high_) bind(c, name='orr_clip_between_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: low_
      real(c_double), value :: high_
      type(c_ptr) :: r_
    end function
    function c_meshgrid(file_, line_, x_, n_, matrix_, grids_) bind(c, name='orr_meshgrid_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      logical(c_bool), value :: matrix_
      type(c_ptr), value :: grids_
      integer(c_int) :: r_
    end function
    function c_diag(file_, line_, v_, k_) bind(c, name='orr_diag_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: v_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_diagonal(file_, line_, x_, k_) bind(c, name='orr_diagonal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_moveaxis(file_, line_, x_, from_, to_) bind(c, name='orr_moveaxis_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: from_
      type(orr_axes), value :: to_
      type(c_ptr) :: r_
    end function
    function c_swapaxes(file_, line_, x_, axis_, other_) bind(c, name='orr_swapaxes_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      integer(c_int), value :: other_
      type(c_ptr) :: r_
    end function
    function c_repeat(file_, line_, x_, n_, axis_) bind(c, name='orr_repeat_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_repeat_each(file_, line_, x_, counts_, axis_) bind(c, name='orr_repeat_each_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: counts_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_roll(file_, line_, x_, shift_, axes_) bind(c, name='orr_roll_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: shift_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_rot90(file_, line_, x_, k_, first_, second_) bind(c, name='orr_rot90_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      integer(c_int), value :: first_
      integer(c_int), value :: second_
      type(c_ptr) :: r_
    end function
    function c_tile(file_, line_, x_, n_) bind(c, name='orr_tile_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: n_
      type(c_ptr) :: r_
    end function
    function c_split(file_, line_, x_, n_, axis_, pieces_) bind(c, name='orr_split_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      integer(c_int), value :: axis_
      type(c_ptr), value :: pieces_
      integer(c_int) :: r_
    end function
    function c_cut(file_, line_, x_, place_, n_, axis_, pieces_) bind(c, name='orr_cut_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: place_
      integer(c_int), value :: n_
      integer(c_int), value :: axis_
      type(c_ptr), value :: pieces_
      integer(c_int) :: r_
    end function
    function c_unstack(file_, line_, x_, axis_, items_, n_) bind(c, name='orr_unstack_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr), value :: items_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_broadcast_arrays(file_, line_, x_, n_, results_) bind(c, name='orr_broadcast_arrays_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr), value :: results_
      integer(c_int) :: r_
    end function
    function c_take_along_axis(file_, line_, x_, indices_, axis_) bind(c, name='orr_take_along_axis_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_gather_nd(file_, line_, x_, indices_) bind(c, name='orr_gather_nd_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      type(c_ptr) :: r_
    end function
    function c_scatter(file_, line_, x_, indices_, updates_, axis_, mode_) bind(c, name='orr_scatter_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      type(c_ptr), value :: updates_
      integer(c_int), value :: axis_
      integer(c_int), value :: mode_
      type(c_ptr) :: r_
    end function
    function c_scatter_nd(file_, line_, x_, indices_, updates_, mode_) bind(c, name='orr_scatter_nd_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: indices_
      type(c_ptr), value :: updates_
      integer(c_int), value :: mode_
      type(c_ptr) :: r_
    end function
    function c_mask_select(file_, line_, x_, mask_) bind(c, name='orr_mask_select_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: mask_
      type(c_ptr) :: r_
    end function
    function c_argwhere(file_, line_, x_) bind(c, name='orr_argwhere_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_nonzero(file_, line_, x_, places_, n_) bind(c, name='orr_nonzero_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: places_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_count_nonzero(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_count_nonzero_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_searchsorted(file_, line_, sorted_, values_, right_) bind(c, name='orr_searchsorted_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: sorted_
      type(c_ptr), value :: values_
      logical(c_bool), value :: right_
      type(c_ptr) :: r_
    end function
    function c_top_places(file_, line_, x_, k_, axis_, largest_) bind(c, name='orr_top_places_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      integer(c_int), value :: axis_
      logical(c_bool), value :: largest_
      type(c_ptr) :: r_
    end function
    function c_topk(file_, line_, x_, k_, axis_, largest_, values_, places_) bind(c, name='orr_topk_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      integer(c_int), value :: axis_
      logical(c_bool), value :: largest_
      type(c_ptr), value :: values_
      type(c_ptr), value :: places_
      integer(c_int) :: r_
    end function
    function c_unique_values(file_, line_, x_) bind(c, name='orr_unique_values_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_unique_counts(file_, line_, x_, values_, counts_) bind(c, name='orr_unique_counts_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: values_
      type(c_ptr), value :: counts_
      integer(c_int) :: r_
    end function
    function c_unique_inverse(file_, line_, x_, values_, inverse_) bind(c, name='orr_unique_inverse_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: values_
      type(c_ptr), value :: inverse_
      integer(c_int) :: r_
    end function
    function c_unique_all(file_, line_, x_, values_, indices_, inverse_, counts_) bind(c, &
        name='orr_unique_all_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: values_
      type(c_ptr), value :: indices_
      type(c_ptr), value :: inverse_
      type(c_ptr), value :: counts_
      integer(c_int) :: r_
    end function
    function c_diff(file_, line_, x_, axis_, n_, prepend_, append_) bind(c, name='orr_diff_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      integer(c_int), value :: n_
      type(c_ptr), value :: prepend_
      type(c_ptr), value :: append_
      type(c_ptr) :: r_
    end function
    function c_bincount(file_, line_, x_, weights_, length_) bind(c, name='orr_bincount_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: weights_
      integer(c_int64_t), value :: length_
      type(c_ptr) :: r_
    end function
    function c_histogram(file_, line_, x_, edges_, weights_) bind(c, name='orr_histogram_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: edges_
      type(c_ptr), value :: weights_
      type(c_ptr) :: r_
    end function
    function c_quantile(file_, line_, x_, q_, n_, axes_, keepdims_) bind(c, name='orr_quantile_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: q_
      integer(c_int), value :: n_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_median(file_, line_, x_, axes_, keepdims_) bind(c, name='orr_median_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_covariance(file_, line_, x_, ddof_) bind(c, name='orr_covariance_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: ddof_
      type(c_ptr) :: r_
    end function
    function c_correlation(file_, line_, x_) bind(c, name='orr_correlation_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_einsum(file_, line_, text_, x_, n_) bind(c, name='orr_einsum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: text_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr) :: r_
    end function
    function c_tensordot(file_, line_, a_, b_, of_a_, of_b_) bind(c, name='orr_tensordot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(orr_axes), value :: of_a_
      type(orr_axes), value :: of_b_
      type(c_ptr) :: r_
    end function
    function c_vecdot(file_, line_, a_, b_, axis_) bind(c, name='orr_vecdot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_outer(file_, line_, a_, b_) bind(c, name='orr_outer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_kron(file_, line_, a_, b_) bind(c, name='orr_kron_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_isdtype(t_, kinds_) bind(c, name='orr_isdtype') result(r_)
      import
      integer(c_int), value :: t_
      integer(c_int), value :: kinds_
      logical(c_bool) :: r_
    end function
    function c_result_type(file_, line_, t_, n_, result_) bind(c, name='orr_result_type_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      type(c_ptr), value :: result_
      integer(c_int) :: r_
    end function
    function c_can_cast(from_, to_) bind(c, name='orr_can_cast') result(r_)
      import
      integer(c_int), value :: from_
      integer(c_int), value :: to_
      logical(c_bool) :: r_
    end function
    function c_finfo(file_, line_, t_, facts_) bind(c, name='orr_finfo_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: t_
      type(c_ptr), value :: facts_
      integer(c_int) :: r_
    end function
    function c_iinfo(file_, line_, t_, facts_) bind(c, name='orr_iinfo_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: t_
      type(c_ptr), value :: facts_
      integer(c_int) :: r_
    end function
    function c_solve(file_, line_, a_, b_) bind(c, name='orr_solve_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_inv(file_, line_, a_) bind(c, name='orr_inv_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    subroutine c_lstsq(r_, file_, line_, a_, b_, rtol_) bind(c, name='orr__fortran_lstsq')
      import
      type(orr_lstsq_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      real(c_double), value :: rtol_
    end subroutine
    function c_pinv(file_, line_, a_, rtol_) bind(c, name='orr_pinv_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      real(c_double), value :: rtol_
      type(c_ptr) :: r_
    end function
    function c_det(file_, line_, a_) bind(c, name='orr_det_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    subroutine c_slogdet(r_, file_, line_, a_) bind(c, name='orr__fortran_slogdet')
      import
      type(orr_slogdet_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
    end subroutine
    subroutine c_lu(r_, file_, line_, a_) bind(c, name='orr__fortran_lu')
      import
      type(orr_lu_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
    end subroutine
    subroutine c_qr(r_, file_, line_, a_, complete_) bind(c, name='orr__fortran_qr')
      import
      type(orr_qr_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      logical(c_bool), value :: complete_
    end subroutine
    subroutine c_svd(r_, file_, line_, a_, full_) bind(c, name='orr__fortran_svd')
      import
      type(orr_svd_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      logical(c_bool), value :: full_
    end subroutine
    function c_svdvals(file_, line_, a_) bind(c, name='orr_svdvals_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    subroutine c_eigh(r_, file_, line_, a_) bind(c, name='orr__fortran_eigh')
      import
      type(orr_eigh_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
    end subroutine
    function c_eigvalsh(file_, line_, a_) bind(c, name='orr_eigvalsh_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    subroutine c_eig(r_, file_, line_, a_) bind(c, name='orr__fortran_eig')
      import
      type(orr_eig_result), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
    end subroutine
    function c_eigvals(file_, line_, a_) bind(c, name='orr_eigvals_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    function c_vector_norm(file_, line_, x_, axes_, keepdims_, order_) bind(c, name='orr_vector_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      logical(c_bool), value :: keepdims_
      real(c_double), value :: order_
      type(c_ptr) :: r_
    end function
    function c_matrix_norm(file_, line_, x_, kind_, keepdims_) bind(c, name='orr_matrix_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: kind_
      logical(c_bool), value :: keepdims_
      type(c_ptr) :: r_
    end function
    function c_cond(file_, line_, x_, kind_) bind(c, name='orr_cond_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: kind_
      type(c_ptr) :: r_
    end function
    function c_matrix_rank(file_, line_, x_, rtol_) bind(c, name='orr_matrix_rank_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: rtol_
      type(c_ptr) :: r_
    end function
    function c_trace(file_, line_, a_, k_) bind(c, name='orr_trace_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_matrix_power(file_, line_, a_, power_) bind(c, name='orr_matrix_power_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      integer(c_int64_t), value :: power_
      type(c_ptr) :: r_
    end function
    function c_expm(file_, line_, a_) bind(c, name='orr_expm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    function c_cross(file_, line_, a_, b_, axis_) bind(c, name='orr_cross_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_cg(file_, line_, a_, user_, b_, options_, result_) bind(c, name='orr_cg_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: a_
      type(c_ptr), value :: user_
      type(c_ptr), value :: b_
      type(c_ptr), value :: options_
      type(c_ptr), value :: result_
      integer(c_int) :: r_
    end function
    function c_lobpcg(file_, line_, a_, user_, start_, largest_, options_, result_) bind(c, name='orr_lobpcg_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: a_
      type(c_ptr), value :: user_
      type(c_ptr), value :: start_
      logical(c_bool), value :: largest_
      type(c_ptr), value :: options_
      type(c_ptr), value :: result_
      integer(c_int) :: r_
    end function
    function c_fft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_fft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_ifft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_ifft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_fftn(file_, line_, x_, n_, axes_, norm_) bind(c, name='orr_fftn_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: n_
      type(orr_axes), value :: axes_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_ifftn(file_, line_, x_, n_, axes_, norm_) bind(c, name='orr_ifftn_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: n_
      type(orr_axes), value :: axes_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_rfft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_rfft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_irfft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_irfft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_rfftn(file_, line_, x_, n_, axes_, norm_) bind(c, name='orr_rfftn_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: n_
      type(orr_axes), value :: axes_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_irfftn(file_, line_, x_, n_, axes_, norm_) bind(c, name='orr_irfftn_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_index), value :: n_
      type(orr_axes), value :: axes_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_hfft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_hfft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_ihfft(file_, line_, x_, n_, axis_, norm_) bind(c, name='orr_ihfft_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: n_
      integer(c_int), value :: axis_
      integer(c_int), value :: norm_
      type(c_ptr) :: r_
    end function
    function c_fftfreq(file_, line_, dtype_, n_, d_) bind(c, name='orr_fftfreq_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      real(c_double), value :: d_
      type(c_ptr) :: r_
    end function
    function c_rfftfreq(file_, line_, dtype_, n_, d_) bind(c, name='orr_rfftfreq_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      real(c_double), value :: d_
      type(c_ptr) :: r_
    end function
    function c_fftshift(file_, line_, x_, axes_) bind(c, name='orr_fftshift_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_ifftshift(file_, line_, x_, axes_) bind(c, name='orr_ifftshift_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_convolve(file_, line_, x_, w_, mode_, boundary_) bind(c, name='orr_convolve_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: w_
      integer(c_int), value :: mode_
      integer(c_int), value :: boundary_
      type(c_ptr) :: r_
    end function
    function c_correlate(file_, line_, x_, w_, mode_, boundary_) bind(c, name='orr_correlate_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: w_
      integer(c_int), value :: mode_
      integer(c_int), value :: boundary_
      type(c_ptr) :: r_
    end function
    function c_bartlett(file_, line_, dtype_, n_) bind(c, name='orr_bartlett_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_hann(file_, line_, dtype_, n_) bind(c, name='orr_hann_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_hamming(file_, line_, dtype_, n_) bind(c, name='orr_hamming_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_blackman(file_, line_, dtype_, n_) bind(c, name='orr_blackman_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_kaiser(file_, line_, dtype_, n_, beta_) bind(c, name='orr_kaiser_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: n_
      real(c_double), value :: beta_
      type(c_ptr) :: r_
    end function
    function c_interp(file_, line_, x_, xp_, fp_) bind(c, name='orr_interp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: xp_
      type(c_ptr), value :: fp_
      type(c_ptr) :: r_
    end function
    subroutine c_seed(seed_) bind(c, name='orr_seed')
      import
      integer(c_int64_t), value :: seed_
    end subroutine
    function c_rand(file_, line_, dtype_, shape_, lo_, hi_) bind(c, name='orr_rand_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: lo_
      real(c_double), value :: hi_
      type(c_ptr) :: r_
    end function
    function c_randn(file_, line_, dtype_, shape_, mean_, std_) bind(c, name='orr_randn_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: mean_
      real(c_double), value :: std_
      type(c_ptr) :: r_
    end function
    function c_randint(file_, line_, dtype_, shape_, lo_, hi_) bind(c, name='orr_randint_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      integer(c_int64_t), value :: lo_
      integer(c_int64_t), value :: hi_
      type(c_ptr) :: r_
    end function
    function c_permutation(file_, line_, n_) bind(c, name='orr_permutation_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_bernoulli(file_, line_, shape_, p_) bind(c, name='orr_bernoulli_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      real(c_double), value :: p_
      type(c_ptr) :: r_
    end function
    function c_exponential(file_, line_, dtype_, shape_, scale_) bind(c, name='orr_exponential_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: scale_
      type(c_ptr) :: r_
    end function
    function c_gamma(file_, line_, dtype_, shape_, alpha_, scale_) bind(c, name='orr_gamma_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: alpha_
      type(c_ptr), value :: scale_
      type(c_ptr) :: r_
    end function
    function c_beta(file_, line_, dtype_, shape_, a_, b_) bind(c, name='orr_beta_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_poisson(file_, line_, dtype_, shape_, rate_) bind(c, name='orr_poisson_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: rate_
      type(c_ptr) :: r_
    end function
    function c_binomial(file_, line_, dtype_, shape_, trials_, p_) bind(c, name='orr_binomial_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: trials_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_multinomial(file_, line_, shape_, trials_, weights_) bind(c, name='orr_multinomial_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      integer(c_int64_t), value :: trials_
      type(c_ptr), value :: weights_
      type(c_ptr) :: r_
    end function
    function c_categorical(file_, line_, shape_, weights_) bind(c, name='orr_categorical_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: weights_
      type(c_ptr) :: r_
    end function
    function c_choice(file_, line_, n_, k_) bind(c, name='orr_choice_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: n_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_choice_weighted(file_, line_, weights_, k_) bind(c, name='orr_choice_weighted_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: weights_
      integer(c_int64_t), value :: k_
      type(c_ptr) :: r_
    end function
    function c_multivariate_normal(file_, line_, shape_, mean_, covariance_) bind(c, &
        name='orr_multivariate_normal_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: mean_
      type(c_ptr), value :: covariance_
      type(c_ptr) :: r_
    end function
    function c_shuffle(file_, line_, x_, axis_) bind(c, name='orr_shuffle_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_rand_keyed(file_, line_, dtype_, shape_, lo_, hi_, key_) bind(c, name='orr_rand_keyed_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: lo_
      real(c_double), value :: hi_
      integer(c_int64_t), value :: key_
      type(c_ptr) :: r_
    end function
    function c_randn_keyed(file_, line_, dtype_, shape_, mean_, std_, key_) bind(c, name='orr_randn_keyed_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      real(c_double), value :: mean_
      real(c_double), value :: std_
      integer(c_int64_t), value :: key_
      type(c_ptr) :: r_
    end function
    function c_define_elementwise(file_, line_, name_, arity_, expression_, derivatives_, n_derivatives_) bind(c, &
        name='orr_define_elementwise_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: name_
      integer(c_int), value :: arity_
      type(c_ptr), value :: expression_
      type(c_ptr), value :: derivatives_
      integer(c_int), value :: n_derivatives_
      type(c_ptr) :: r_
    end function
    function c_expression(file_, line_, text_, x_, n_) bind(c, name='orr_expression_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: text_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr) :: r_
    end function
    function c_define_kernel(file_, line_, def_) bind(c, name='orr_define_kernel_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: def_
      type(c_ptr) :: r_
    end function
    function c_apply(file_, line_, op_, x_, n_, params_, n_params_) bind(c, name='orr_apply_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: op_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr), value :: params_
      integer(c_int), value :: n_params_
      type(c_ptr) :: r_
    end function
    function c_op_find(name_) bind(c, name='orr_op_find') result(r_)
      import
      type(c_ptr), value :: name_
      type(c_ptr) :: r_
    end function
    function c_op_name(op_) bind(c, name='orr_op_name') result(r_)
      import
      type(c_ptr), value :: op_
      type(c_ptr) :: r_
    end function
    function c_op_arity(op_) bind(c, name='orr_op_arity') result(r_)
      import
      type(c_ptr), value :: op_
      integer(c_int) :: r_
    end function
    function c_init(file_, line_, headers_, config_) bind(c, name='orr_init_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: headers_
      type(c_ptr), value :: config_
      integer(c_int) :: r_
    end function
    function c_shutdown() bind(c, name='orr_shutdown') result(r_)
      import
      integer(c_int) :: r_
    end function
    function c_pause() bind(c, name='orr_pause') result(r_)
      import
      integer(c_int) :: r_
    end function
    function c_resume() bind(c, name='orr_resume') result(r_)
      import
      integer(c_int) :: r_
    end function
    function c_version() bind(c, name='orr_version') result(r_)
      import
      type(c_ptr) :: r_
    end function
    function c_eval(file_, line_, t_) bind(c, name='orr_eval_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_eval_brief(file_, line_, t_) bind(c, name='orr_eval_brief_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      logical(c_bool) :: r_
    end function
    function c_eval_all(file_, line_, t_, n_) bind(c, name='orr_eval_all_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_check(file_, line_, t_) bind(c, name='orr_check_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_warmup(file_, line_, t_) bind(c, name='orr_warmup_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_eval_async(file_, line_, t_, n_, event_) bind(c, name='orr_eval_async_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_wait(file_, line_, event_) bind(c, name='orr_wait_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_read_async(file_, line_, t_, buf_, bytes_, event_) bind(c, name='orr_read_async_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: buf_
      integer(c_size_t), value :: bytes_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_event_done(event_) bind(c, name='orr_event_done') result(r_)
      import
      type(c_ptr), value :: event_
      logical(c_bool) :: r_
    end function
    function c_cancel(file_, line_, event_) bind(c, name='orr_cancel_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_eval_for(file_, line_, t_, seconds_) bind(c, name='orr_eval_for_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      real(c_double), value :: seconds_
      integer(c_int) :: r_
    end function
    function c_cancellable_begin(file_, line_, seconds_) bind(c, name='orr_cancellable_begin_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: seconds_
      type(c_ptr) :: r_
    end function
    function c_cancellable_end(file_, line_, event_) bind(c, name='orr_cancellable_end_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    subroutine c_progress_to(fn_, user_) bind(c, name='orr_progress_to')
      import
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
    end subroutine
    function c_par_map(file_, line_, n_, fn_, items_, user_, results_) bind(c, name='orr_par_map_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: n_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: items_
      type(c_ptr), value :: user_
      type(c_ptr), value :: results_
      integer(c_int) :: r_
    end function
    function c_placeholder(file_, line_, dtype_, shape_) bind(c, name='orr_placeholder_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_graph_build(file_, line_, inputs_, n_inputs_, outputs_, n_outputs_) bind(c, &
        name='orr_graph_build_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: inputs_
      integer(c_int), value :: n_inputs_
      type(c_ptr), value :: outputs_
      integer(c_int), value :: n_outputs_
      type(c_ptr) :: r_
    end function
    function c_graph_submit(file_, line_, g_, values_, n_values_, results_, n_results_, event_) bind(c, &
        name='orr_graph_submit_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: g_
      type(c_ptr), value :: values_
      integer(c_int), value :: n_values_
      type(c_ptr), value :: results_
      integer(c_int), value :: n_results_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_graph_submit_into(file_, line_, g_, values_, n_values_, to_, n_results_, event_) bind(c, &
        name='orr_graph_submit_into_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: g_
      type(c_ptr), value :: values_
      integer(c_int), value :: n_values_
      type(c_ptr), value :: to_
      integer(c_int), value :: n_results_
      type(c_ptr), value :: event_
      integer(c_int) :: r_
    end function
    function c_graph_free(g_) bind(c, name='orr_graph_free') result(r_)
      import
      type(c_ptr), value :: g_
      integer(c_int) :: r_
    end function
    function c_grad(file_, line_, y_, x_, n_, grads_) bind(c, name='orr_grad_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: y_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr), value :: grads_
      integer(c_int) :: r_
    end function
    function c_grad_or_zeros(file_, line_, y_, x_, n_, grads_) bind(c, name='orr_grad_or_zeros_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: y_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr), value :: grads_
      integer(c_int) :: r_
    end function
    function c_vjp(file_, line_, y_, seed_, x_, n_, grads_) bind(c, name='orr_vjp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: y_
      type(c_ptr), value :: seed_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr), value :: grads_
      integer(c_int) :: r_
    end function
    function c_detach(file_, line_, t_) bind(c, name='orr_detach_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_explain(file_, line_, to_, t_) bind(c, name='orr_explain_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: to_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_explain_dot(file_, line_, to_, t_, fused_) bind(c, name='orr_explain_dot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: to_
      type(c_ptr), value :: t_
      logical(c_bool), value :: fused_
      integer(c_int) :: r_
    end function
    function c_notes(to_) bind(c, name='orr_notes') result(r_)
      import
      type(c_ptr), value :: to_
      integer(c_int) :: r_
    end function
    function c_dump(file_, line_, path_, t_, n_) bind(c, name='orr_dump_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_dump_print(to_, path_) bind(c, name='orr_dump_print') result(r_)
      import
      type(c_ptr), value :: to_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_replay(to_, path_, same_) bind(c, name='orr_replay') result(r_)
      import
      type(c_ptr), value :: to_
      type(c_ptr), value :: path_
      type(c_ptr), value :: same_
      integer(c_int) :: r_
    end function
    function c_replay_steps(to_, path_, stop_at_, record_) bind(c, name='orr_replay_steps') result(r_)
      import
      type(c_ptr), value :: to_
      type(c_ptr), value :: path_
      type(c_ptr), value :: stop_at_
      type(c_ptr), value :: record_
      integer(c_int) :: r_
    end function
    function c_dump_compare(to_, path_, other_, same_) bind(c, name='orr_dump_compare') result(r_)
      import
      type(c_ptr), value :: to_
      type(c_ptr), value :: path_
      type(c_ptr), value :: other_
      type(c_ptr), value :: same_
      integer(c_int) :: r_
    end function
    function c_xray(to_, path_, found_) bind(c, name='orr_xray') result(r_)
      import
      type(c_ptr), value :: to_
      type(c_ptr), value :: path_
      type(c_ptr), value :: found_
      integer(c_int) :: r_
    end function
    function c_load(file_, line_, path_) bind(c, name='orr_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    function c_save(file_, line_, path_, t_) bind(c, name='orr_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_load_bytes(file_, line_, data_, bytes_, used_) bind(c, name='orr_load_bytes_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: data_
      integer(c_size_t), value :: bytes_
      type(c_ptr), value :: used_
      type(c_ptr) :: r_
    end function
    function c_wrap_bytes(file_, line_, data_, bytes_, used_, release_, user_) bind(c, name='orr_wrap_bytes_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: data_
      integer(c_size_t), value :: bytes_
      type(c_ptr), value :: used_
      type(c_funptr), value :: release_
      type(c_ptr), value :: user_
      type(c_ptr) :: r_
    end function
    function c_map_npy(file_, line_, path_) bind(c, name='orr_map_npy_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    function c_npy_header(file_, line_, dtype_, shape_, buf_) bind(c, name='orr_npy_header_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: buf_
      integer(c_size_t) :: r_
    end function
    function c_load_npz(file_, line_, path_, name_) bind(c, name='orr_load_npz_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: name_
      type(c_ptr) :: r_
    end function
    function c_save_npz(file_, line_, path_, names_, n_names_, t_, n_) bind(c, name='orr_save_npz_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      integer(c_int), value :: n_names_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_save_npz_deflated(file_, line_, path_, names_, n_names_, t_, n_) bind(c, &
        name='orr_save_npz_deflated_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      integer(c_int), value :: n_names_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_npz_names(file_, line_, path_, names_, n_) bind(c, name='orr_npz_names_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      type(c_ptr), value :: n_
      integer(c_int) :: r_
    end function
    subroutine c_npz_names_free(names_) bind(c, name='orr_npz_names_free')
      import
      type(c_ptr), value :: names_
    end subroutine
    function c_load_safetensors(file_, line_, path_, name_) bind(c, name='orr_load_safetensors_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: name_
      type(c_ptr) :: r_
    end function
    function c_map_safetensors(file_, line_, path_, name_) bind(c, name='orr_map_safetensors_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: name_
      type(c_ptr) :: r_
    end function
    function c_safetensors_names(file_, line_, path_, names_, n_) bind(c, name='orr_safetensors_names_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      type(c_ptr), value :: n_
      integer(c_int) :: r_
    end function
    function c_save_safetensors(file_, line_, path_, names_, n_names_, t_, n_) bind(c, &
        name='orr_save_safetensors_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      integer(c_int), value :: n_names_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_load_csv(file_, line_, path_, dtype_, delimiter_, skip_) bind(c, name='orr_load_csv_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      integer(c_int), value :: dtype_
      integer(c_signed_char), value :: delimiter_
      integer(c_int), value :: skip_
      type(c_ptr) :: r_
    end function
    function c_save_csv(file_, line_, path_, t_, delimiter_) bind(c, name='orr_save_csv_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: t_
      integer(c_signed_char), value :: delimiter_
      integer(c_int) :: r_
    end function
    function c_load_hdf5(file_, line_, path_, name_) bind(c, name='orr_load_hdf5_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: name_
      type(c_ptr) :: r_
    end function
    function c_hdf5_names(file_, line_, path_, names_, n_) bind(c, name='orr_hdf5_names_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      type(c_ptr), value :: n_
      integer(c_int) :: r_
    end function
    function c_save_hdf5(file_, line_, path_, names_, n_names_, t_, n_) bind(c, name='orr_save_hdf5_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: names_
      integer(c_int), value :: n_names_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_load_idx(file_, line_, path_) bind(c, name='orr_load_idx_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    function c_load_image(file_, line_, path_) bind(c, name='orr_load_image_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    function c_load_image_bytes(file_, line_, data_, bytes_) bind(c, name='orr_load_image_bytes_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: data_
      integer(c_size_t), value :: bytes_
      type(c_ptr) :: r_
    end function
    function c_save_image(file_, line_, path_, t_, quality_) bind(c, name='orr_save_image_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr), value :: t_
      integer(c_int), value :: quality_
      integer(c_int) :: r_
    end function
    function c_encode_image(file_, line_, t_, format_, quality_) bind(c, name='orr_encode_image_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: format_
      integer(c_int), value :: quality_
      type(c_ptr) :: r_
    end function
    function c_to_dlpack(file_, line_, t_, out_) bind(c, name='orr_to_dlpack_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_to_dlpack_unversioned(file_, line_, t_, out_) bind(c, name='orr_to_dlpack_unversioned_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_from_dlpack(file_, line_, array_) bind(c, name='orr_from_dlpack_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: array_
      type(c_ptr) :: r_
    end function
    function c_from_dlpack_unversioned(file_, line_, array_) bind(c, name='orr_from_dlpack_unversioned_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: array_
      type(c_ptr) :: r_
    end function
    function c_stats(rows_, max_) bind(c, name='orr_stats') result(r_)
      import
      type(c_ptr), value :: rows_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    subroutine c_stats_reset() bind(c, name='orr_stats_reset')
      import

    end subroutine
    subroutine c_stats_print(to_) bind(c, name='orr_stats_print')
      import
      type(c_ptr), value :: to_
    end subroutine
    function c_metrics(rows_, max_) bind(c, name='orr_metrics') result(r_)
      import
      type(c_ptr), value :: rows_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_metrics_json(to_) bind(c, name='orr_metrics_json') result(r_)
      import
      type(c_ptr), value :: to_
      integer(c_int) :: r_
    end function
    function c_engine_name() bind(c, name='orr_engine_name') result(r_)
      import
      type(c_ptr) :: r_
    end function
    function c_device_kind_name(kind_) bind(c, name='orr_device_kind_name') result(r_)
      import
      integer(c_int), value :: kind_
      type(c_ptr) :: r_
    end function
    function c_measure_name(m_) bind(c, name='orr_measure_name') result(r_)
      import
      integer(c_int), value :: m_
      type(c_ptr) :: r_
    end function
    function c_measure_unit(m_) bind(c, name='orr_measure_unit') result(r_)
      import
      integer(c_int), value :: m_
      type(c_ptr) :: r_
    end function
    function c_devices(devices_, max_) bind(c, name='orr_devices') result(r_)
      import
      type(c_ptr), value :: devices_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_devices_json(to_) bind(c, name='orr_devices_json') result(r_)
      import
      type(c_ptr), value :: to_
      integer(c_int) :: r_
    end function
    function c_devices_save(path_) bind(c, name='orr_devices_save') result(r_)
      import
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_devices_load(path_, devices_, max_, count_) bind(c, name='orr_devices_load') result(r_)
      import
      type(c_ptr), value :: path_
      type(c_ptr), value :: devices_
      integer(c_int), value :: max_
      type(c_ptr), value :: count_
      integer(c_int) :: r_
    end function
    function c_devices_watch(seconds_, fn_, user_) bind(c, name='orr_devices_watch') result(r_)
      import
      real(c_double), value :: seconds_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
      integer(c_int) :: r_
    end function
    function c_prefetch(file_, line_, t_, device_) bind(c, name='orr_prefetch_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: device_
      integer(c_int) :: r_
    end function
    function c_copy_to(file_, line_, t_, device_) bind(c, name='orr_copy_to_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: device_
      integer(c_int) :: r_
    end function
    function c_evict(file_, line_, t_) bind(c, name='orr_evict_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    function c_is_on(file_, line_, t_, device_, on_) bind(c, name='orr_is_on_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: device_
      type(c_ptr), value :: on_
      integer(c_int) :: r_
    end function
    function c_device_memory(file_, line_, device_, total_, left_) bind(c, name='orr_device_memory_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: device_
      type(c_ptr), value :: total_
      type(c_ptr), value :: left_
      integer(c_int) :: r_
    end function
    function c_memory_owner_name(owner_) bind(c, name='orr_memory_owner_name') result(r_)
      import
      integer(c_int), value :: owner_
      type(c_ptr) :: r_
    end function
    subroutine c_memory_stats(r_) bind(c, name='orr__fortran_memory_stats')
      import
      type(orr_memory), intent(out) :: r_
    end subroutine
    subroutine c_memory_peak_reset() bind(c, name='orr_memory_peak_reset')
      import

    end subroutine
    subroutine c_memory_trim() bind(c, name='orr_memory_trim')
      import

    end subroutine
    function c_info(facts_, max_) bind(c, name='orr_info') result(r_)
      import
      type(c_ptr), value :: facts_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_env_print(to_, markdown_) bind(c, name='orr_env_print') result(r_)
      import
      type(c_ptr), value :: to_
      logical(c_bool), value :: markdown_
      integer(c_int) :: r_
    end function
    function c_thresholds_print(to_, markdown_) bind(c, name='orr_thresholds_print') result(r_)
      import
      type(c_ptr), value :: to_
      logical(c_bool), value :: markdown_
      integer(c_int) :: r_
    end function
    function c_cache_list(entries_, max_, count_) bind(c, name='orr_cache_list') result(r_)
      import
      type(c_ptr), value :: entries_
      integer(c_int), value :: max_
      type(c_ptr), value :: count_
      integer(c_int) :: r_
    end function
    function c_cache_clear(removed_) bind(c, name='orr_cache_clear') result(r_)
      import
      type(c_ptr), value :: removed_
      integer(c_int) :: r_
    end function
    function c_machine_list(numbers_, max_) bind(c, name='orr_machine_list') result(r_)
      import
      type(c_ptr), value :: numbers_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_perfmodel_list(models_, max_, count_) bind(c, name='orr_perfmodel_list') result(r_)
      import
      type(c_ptr), value :: models_
      integer(c_int), value :: max_
      type(c_ptr), value :: count_
      integer(c_int) :: r_
    end function
    function c_perfmodel_clear(removed_) bind(c, name='orr_perfmodel_clear') result(r_)
      import
      type(c_ptr), value :: removed_
      integer(c_int) :: r_
    end function
    function c_machine_measure(again_) bind(c, name='orr_machine_measure') result(r_)
      import
      logical(c_bool), value :: again_
      integer(c_int) :: r_
    end function
    function c_initialiser_apply(file_, line_, how_, dtype_, shape_) bind(c, name='orr_initialiser_apply_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_initialiser), value :: how_
      integer(c_int), value :: dtype_
      type(orr_shape), value :: shape_
      type(c_ptr) :: r_
    end function
    function c_activate(file_, line_, x_, f_) bind(c, name='orr_activate_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: f_
      type(c_ptr) :: r_
    end function
    function c_dense(file_, line_, in_, out_, f_, init_) bind(c, name='orr_dense_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: in_
      integer(c_int64_t), value :: out_
      integer(c_int), value :: f_
      type(orr_initialiser), value :: init_
      type(c_ptr) :: r_
    end function
    function c_dense_with(file_, line_, dtype_, in_, out_, f_, weight_, bias_) bind(c, name='orr_dense_with_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: in_
      integer(c_int64_t), value :: out_
      integer(c_int), value :: f_
      type(orr_initialiser), value :: weight_
      type(orr_initialiser), value :: bias_
      type(c_ptr) :: r_
    end function
    function c_activation_layer(file_, line_, f_) bind(c, name='orr_activation_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: f_
      type(c_ptr) :: r_
    end function
    function c_function(file_, line_, fn_, user_) bind(c, name='orr_function_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
      type(c_ptr) :: r_
    end function
    function c_sequential(file_, line_, m_, n_) bind(c, name='orr_sequential_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      integer(c_int), value :: n_
      type(c_ptr) :: r_
    end function
    function c_forward(file_, line_, m_, x_) bind(c, name='orr_forward_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_forward_all(file_, line_, m_, x_, n_) bind(c, name='orr_forward_all_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: x_
      integer(c_int), value :: n_
      type(c_ptr) :: r_
    end function
    function c_residual(file_, line_, m_) bind(c, name='orr_residual_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr) :: r_
    end function
    function c_module_new(file_, line_, kind_, fn_, user_, release_) bind(c, name='orr_module_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: kind_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
      type(c_funptr), value :: release_
      type(c_ptr) :: r_
    end function
    function c_module_add_parameter(file_, line_, m_, name_, value_) bind(c, name='orr_module_add_parameter_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: name_
      type(c_ptr), value :: value_
      type(c_ptr) :: r_
    end function
    function c_module_add_state(file_, line_, m_, name_, value_) bind(c, name='orr_module_add_state_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: name_
      type(c_ptr), value :: value_
      type(c_ptr) :: r_
    end function
    function c_module_add_part(file_, line_, m_, name_, part_) bind(c, name='orr_module_add_part_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: name_
      type(c_ptr), value :: part_
      type(c_ptr) :: r_
    end function
    function c_module_part(m_, i_) bind(c, name='orr_module_part') result(r_)
      import
      type(c_ptr), value :: m_
      integer(c_int), value :: i_
      type(c_ptr) :: r_
    end function
    subroutine c_module_train(m_, training_) bind(c, name='orr_module_train')
      import
      type(c_ptr), value :: m_
      logical(c_bool), value :: training_
    end subroutine
    function c_module_training(m_) bind(c, name='orr_module_training') result(r_)
      import
      type(c_ptr), value :: m_
      logical(c_bool) :: r_
    end function
    function c_module_fold(file_, line_, m_) bind(c, name='orr_module_fold_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      integer(c_int) :: r_
    end function
    function c_module_parameters(m_, out_, max_) bind(c, name='orr_module_parameters') result(r_)
      import
      type(c_ptr), value :: m_
      type(c_ptr), value :: out_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_module_states(m_, out_, max_) bind(c, name='orr_module_states') result(r_)
      import
      type(c_ptr), value :: m_
      type(c_ptr), value :: out_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_module_variable(m_, path_) bind(c, name='orr_module_variable') result(r_)
      import
      type(c_ptr), value :: m_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    function c_module_size(m_) bind(c, name='orr_module_size') result(r_)
      import
      type(c_ptr), value :: m_
      integer(c_int64_t) :: r_
    end function
    subroutine c_module_free(m_) bind(c, name='orr_module_free')
      import
      type(c_ptr), value :: m_
    end subroutine
    function c_module_save(file_, line_, m_, path_) bind(c, name='orr_module_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_module_load(file_, line_, m_, path_) bind(c, name='orr_module_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    subroutine c_optim_defaults(r_, kind_) bind(c, name='orr__fortran_optim_defaults')
      import
      type(orr_optim_options), intent(out) :: r_
      integer(c_int), value :: kind_
    end subroutine
    function c_optim_new(file_, line_, kind_, v_, n_, options_) bind(c, name='orr_optim_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: kind_
      type(c_ptr), value :: v_
      integer(c_int), value :: n_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_optim_of_module(file_, line_, kind_, m_, options_) bind(c, name='orr_optim_of_module_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: kind_
      type(c_ptr), value :: m_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    subroutine c_optim_free(o_) bind(c, name='orr_optim_free')
      import
      type(c_ptr), value :: o_
    end subroutine
    function c_optim_step(file_, line_, o_, loss_) bind(c, name='orr_optim_step_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: loss_
      integer(c_int) :: r_
    end function
    function c_optim_apply(file_, line_, o_, grads_, n_) bind(c, name='orr_optim_apply_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: grads_
      integer(c_int), value :: n_
      integer(c_int) :: r_
    end function
    function c_optim_accumulate(file_, line_, o_, loss_) bind(c, name='orr_optim_accumulate_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: loss_
      integer(c_int) :: r_
    end function
    function c_optim_step_accumulated(file_, line_, o_) bind(c, name='orr_optim_step_accumulated_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      integer(c_int) :: r_
    end function
    function c_clip_grad_norm(file_, line_, grads_, n_, max_norm_) bind(c, name='orr_clip_grad_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: grads_
      integer(c_int), value :: n_
      real(c_double), value :: max_norm_
      type(c_ptr) :: r_
    end function
    function c_optim_set_lr(file_, line_, o_, lr_) bind(c, name='orr_optim_set_lr_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      real(c_double), value :: lr_
      integer(c_int) :: r_
    end function
    function c_optim_lr(o_) bind(c, name='orr_optim_lr') result(r_)
      import
      type(c_ptr), value :: o_
      real(c_double) :: r_
    end function
    function c_optim_steps(o_) bind(c, name='orr_optim_steps') result(r_)
      import
      type(c_ptr), value :: o_
      integer(c_int64_t) :: r_
    end function
    function c_optim_state(o_, out_, max_) bind(c, name='orr_optim_state') result(r_)
      import
      type(c_ptr), value :: o_
      type(c_ptr), value :: out_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_optim_save(file_, line_, o_, path_) bind(c, name='orr_optim_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_optim_load(file_, line_, o_, path_) bind(c, name='orr_optim_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_checkpoint_new(file_, line_, path_) bind(c, name='orr_checkpoint_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      type(c_ptr) :: r_
    end function
    subroutine c_checkpoint_free(c_) bind(c, name='orr_checkpoint_free')
      import
      type(c_ptr), value :: c_
    end subroutine
    function c_checkpoint_add_variable(file_, line_, c_, name_, variable_) bind(c, &
        name='orr_checkpoint_add_variable_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: variable_
      integer(c_int) :: r_
    end function
    function c_checkpoint_add_module(file_, line_, c_, name_, m_) bind(c, name='orr_checkpoint_add_module_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: m_
      integer(c_int) :: r_
    end function
    function c_checkpoint_add_optim(file_, line_, c_, name_, o_) bind(c, name='orr_checkpoint_add_optim_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: o_
      integer(c_int) :: r_
    end function
    function c_checkpoint_add_bytes(file_, line_, c_, name_, data_, bytes_) bind(c, &
        name='orr_checkpoint_add_bytes_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: data_
      integer(c_size_t), value :: bytes_
      integer(c_int) :: r_
    end function
    function c_checkpoint_save(file_, line_, c_) bind(c, name='orr_checkpoint_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      integer(c_int) :: r_
    end function
    function c_checkpoint_load(file_, line_, c_, found_) bind(c, name='orr_checkpoint_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: found_
      integer(c_int) :: r_
    end function
    function c_checkpoint_generation(c_) bind(c, name='orr_checkpoint_generation') result(r_)
      import
      type(c_ptr), value :: c_
      integer(c_int64_t) :: r_
    end function
    function c_checkpoint_catch(file_, line_, signal_) bind(c, name='orr_checkpoint_catch_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: signal_
      integer(c_int) :: r_
    end function
    function c_checkpoint_stopping() bind(c, name='orr_checkpoint_stopping') result(r_)
      import
      logical(c_bool) :: r_
    end function
    function c_checkpoint_due(c_, seconds_) bind(c, name='orr_checkpoint_due') result(r_)
      import
      type(c_ptr), value :: c_
      real(c_double), value :: seconds_
      logical(c_bool) :: r_
    end function
    function c_conv(file_, line_, x_, w_, bias_, o_) bind(c, name='orr_conv_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: w_
      type(c_ptr), value :: bias_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_conv_transpose(file_, line_, y_, w_, bias_, o_) bind(c, name='orr_conv_transpose_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: y_
      type(c_ptr), value :: w_
      type(c_ptr), value :: bias_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_conv_weights(file_, line_, x_, y_, kernel_, o_) bind(c, name='orr_conv_weights_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(orr_shape), value :: kernel_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_max_pool(file_, line_, x_, o_) bind(c, name='orr_max_pool_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_max_pool_indices(file_, line_, x_, o_) bind(c, name='orr_max_pool_indices_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_max_unpool(file_, line_, y_, indices_, size_) bind(c, name='orr_max_unpool_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: y_
      type(c_ptr), value :: indices_
      type(orr_shape), value :: size_
      type(c_ptr) :: r_
    end function
    function c_average_pool(file_, line_, x_, o_) bind(c, name='orr_average_pool_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_lp_pool(file_, line_, x_, p_, o_) bind(c, name='orr_lp_pool_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: p_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_resize(file_, line_, x_, size_, mode_, align_corners_) bind(c, name='orr_resize_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_shape), value :: size_
      integer(c_int), value :: mode_
      logical(c_bool), value :: align_corners_
      type(c_ptr) :: r_
    end function
    function c_conv_layer(file_, line_, in_, out_, kernel_, o_, f_, weight_, bias_) bind(c, &
        name='orr_conv_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: in_
      integer(c_int64_t), value :: out_
      type(orr_shape), value :: kernel_
      type(c_ptr), value :: o_
      integer(c_int), value :: f_
      type(orr_initialiser), value :: weight_
      type(orr_initialiser), value :: bias_
      type(c_ptr) :: r_
    end function
    function c_conv_transpose_layer(file_, line_, in_, out_, kernel_, o_, f_, weight_, bias_) bind(c, &
        name='orr_conv_transpose_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: in_
      integer(c_int64_t), value :: out_
      type(orr_shape), value :: kernel_
      type(c_ptr), value :: o_
      integer(c_int), value :: f_
      type(orr_initialiser), value :: weight_
      type(orr_initialiser), value :: bias_
      type(c_ptr) :: r_
    end function
    function c_max_pool_layer(file_, line_, o_) bind(c, name='orr_max_pool_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_average_pool_layer(file_, line_, o_) bind(c, name='orr_average_pool_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_lp_pool_layer(file_, line_, p_, o_) bind(c, name='orr_lp_pool_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: p_
      type(c_ptr), value :: o_
      type(c_ptr) :: r_
    end function
    function c_max_unpool_layer(file_, line_, size_) bind(c, name='orr_max_unpool_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: size_
      type(c_ptr) :: r_
    end function
    function c_resize_layer(file_, line_, size_, mode_, align_corners_) bind(c, name='orr_resize_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: size_
      integer(c_int), value :: mode_
      logical(c_bool), value :: align_corners_
      type(c_ptr) :: r_
    end function
    function c_flatten_layer(file_, line_) bind(c, name='orr_flatten_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr) :: r_
    end function
    function c_nll_loss(file_, line_, logp_, labels_, options_) bind(c, name='orr_nll_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: logp_
      type(c_ptr), value :: labels_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_cross_entropy_with(file_, line_, logits_, target_, options_) bind(c, &
        name='orr_cross_entropy_with_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: logits_
      type(c_ptr), value :: target_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_binary_cross_entropy_with_logits(file_, line_, x_, y_, weight_, positive_, reduction_) bind(c, &
        name='orr_binary_cross_entropy_with_logits_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: positive_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_mse_loss(file_, line_, x_, y_, reduction_) bind(c, name='orr_mse_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_l1_loss(file_, line_, x_, y_, reduction_) bind(c, name='orr_l1_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_huber_loss(file_, line_, x_, y_, delta_, reduction_) bind(c, name='orr_huber_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      real(c_double), value :: delta_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_kl_loss(file_, line_, logq_, target_, logarithm_, reduction_) bind(c, name='orr_kl_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: logq_
      type(c_ptr), value :: target_
      logical(c_bool), value :: logarithm_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_cosine_similarity(file_, line_, x_, y_, axis_, eps_) bind(c, name='orr_cosine_similarity_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      integer(c_int), value :: axis_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_cosine_loss(file_, line_, a_, b_, y_, margin_, reduction_) bind(c, name='orr_cosine_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr), value :: y_
      real(c_double), value :: margin_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_hinge_loss(file_, line_, x_, y_, margin_, reduction_) bind(c, name='orr_hinge_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      real(c_double), value :: margin_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_hinge_embedding_loss(file_, line_, x_, y_, margin_, reduction_) bind(c, &
        name='orr_hinge_embedding_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      real(c_double), value :: margin_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_ctc_loss(file_, line_, logp_, targets_, input_lengths_, target_lengths_, blank_, zero_infinity_, &
        reduction_) bind(c, name='orr_ctc_loss_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: logp_
      type(c_ptr), value :: targets_
      type(c_ptr), value :: input_lengths_
      type(c_ptr), value :: target_lengths_
      integer(c_int64_t), value :: blank_
      logical(c_bool), value :: zero_infinity_
      integer(c_int), value :: reduction_
      type(c_ptr) :: r_
    end function
    function c_layer_norm(file_, line_, x_, axes_, weight_, bias_, eps_) bind(c, name='orr_layer_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axes_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: bias_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_rms_norm(file_, line_, x_, axes_, weight_, eps_) bind(c, name='orr_rms_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axes_
      type(c_ptr), value :: weight_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_group_norm(file_, line_, x_, groups_, weight_, bias_, eps_) bind(c, name='orr_group_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: groups_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: bias_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_instance_norm(file_, line_, x_, weight_, bias_, eps_) bind(c, name='orr_instance_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: bias_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_batch_norm(file_, line_, x_, mean_, var_, weight_, bias_, eps_) bind(c, name='orr_batch_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: mean_
      type(c_ptr), value :: var_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: bias_
      real(c_double), value :: eps_
      type(c_ptr) :: r_
    end function
    function c_batch_norm_training(file_, line_, x_, weight_, bias_, eps_, mean_, var_) bind(c, &
        name='orr_batch_norm_training_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: weight_
      type(c_ptr), value :: bias_
      real(c_double), value :: eps_
      type(c_ptr), value :: mean_
      type(c_ptr), value :: var_
      type(c_ptr) :: r_
    end function
    function c_local_response_norm(file_, line_, x_, size_, alpha_, beta_, k_) bind(c, &
        name='orr_local_response_norm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: size_
      real(c_double), value :: alpha_
      real(c_double), value :: beta_
      real(c_double), value :: k_
      type(c_ptr) :: r_
    end function
    function c_dropout(file_, line_, x_, p_) bind(c, name='orr_dropout_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: p_
      type(c_ptr) :: r_
    end function
    function c_embedding(file_, line_, table_, indices_, padding_) bind(c, name='orr_embedding_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: table_
      type(c_ptr), value :: indices_
      integer(c_int64_t), value :: padding_
      type(c_ptr) :: r_
    end function
    function c_sinusoidal_positions(file_, line_, dtype_, first_, length_, width_) bind(c, &
        name='orr_sinusoidal_positions_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: first_
      integer(c_int64_t), value :: length_
      integer(c_int64_t), value :: width_
      type(c_ptr) :: r_
    end function
    function c_rotary(file_, line_, x_, first_, base_, paired_) bind(c, name='orr_rotary_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: first_
      real(c_double), value :: base_
      logical(c_bool), value :: paired_
      type(c_ptr) :: r_
    end function
    function c_alibi(file_, line_, dtype_, heads_, queries_, keys_) bind(c, name='orr_alibi_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int64_t), value :: heads_
      integer(c_int64_t), value :: queries_
      integer(c_int64_t), value :: keys_
      type(c_ptr) :: r_
    end function
    function c_attention(file_, line_, q_, k_, v_, mask_, options_) bind(c, name='orr_attention_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: q_
      type(c_ptr), value :: k_
      type(c_ptr), value :: v_
      type(c_ptr), value :: mask_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_layer_norm_layer(file_, line_, shape_, options_) bind(c, name='orr_layer_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_rms_norm_layer(file_, line_, shape_, options_) bind(c, name='orr_rms_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_shape), value :: shape_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_group_norm_layer(file_, line_, channels_, groups_, options_) bind(c, &
        name='orr_group_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: channels_
      integer(c_int64_t), value :: groups_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_instance_norm_layer(file_, line_, channels_, options_) bind(c, name='orr_instance_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: channels_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_local_response_norm_layer(file_, line_, size_, alpha_, beta_, k_) bind(c, &
        name='orr_local_response_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: size_
      real(c_double), value :: alpha_
      real(c_double), value :: beta_
      real(c_double), value :: k_
      type(c_ptr) :: r_
    end function
    function c_batch_norm_layer(file_, line_, channels_, options_) bind(c, name='orr_batch_norm_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: channels_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_dropout_layer(file_, line_, p_) bind(c, name='orr_dropout_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: p_
      type(c_ptr) :: r_
    end function
    function c_embedding_layer(file_, line_, rows_, width_, padding_) bind(c, name='orr_embedding_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: rows_
      integer(c_int64_t), value :: width_
      integer(c_int64_t), value :: padding_
      type(c_ptr) :: r_
    end function
    function c_sinusoidal_layer(file_, line_) bind(c, name='orr_sinusoidal_layer_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr) :: r_
    end function
    function c_multi_head_attention(file_, line_, width_, heads_, options_) bind(c, &
        name='orr_multi_head_attention_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: width_
      integer(c_int64_t), value :: heads_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_encoder_block(file_, line_, width_, heads_, hidden_, options_) bind(c, &
        name='orr_encoder_block_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: width_
      integer(c_int64_t), value :: heads_
      integer(c_int64_t), value :: hidden_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_decoder_block(file_, line_, width_, heads_, hidden_, options_) bind(c, &
        name='orr_decoder_block_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: width_
      integer(c_int64_t), value :: heads_
      integer(c_int64_t), value :: hidden_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_kv_cache_new(file_, line_, m_, batch_, capacity_) bind(c, name='orr_kv_cache_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      integer(c_int64_t), value :: batch_
      integer(c_int64_t), value :: capacity_
      type(c_ptr) :: r_
    end function
    function c_forward_cached(file_, line_, cache_, x_) bind(c, name='orr_forward_cached_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: cache_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_kv_cache_length(cache_) bind(c, name='orr_kv_cache_length') result(r_)
      import
      type(c_ptr), value :: cache_
      integer(c_int64_t) :: r_
    end function
    subroutine c_kv_cache_clear(cache_) bind(c, name='orr_kv_cache_clear')
      import
      type(c_ptr), value :: cache_
    end subroutine
    subroutine c_kv_cache_free(cache_) bind(c, name='orr_kv_cache_free')
      import
      type(c_ptr), value :: cache_
    end subroutine
    function c_scan(file_, line_, fn_, lists_, user_, options_) bind(c, name='orr_scan_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: lists_
      type(c_ptr), value :: user_
      type(c_ptr), value :: options_
      integer(c_int) :: r_
    end function
    function c_recurrent(file_, line_, cell_, in_, hidden_, options_) bind(c, name='orr_recurrent_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: cell_
      integer(c_int64_t), value :: in_
      integer(c_int64_t), value :: hidden_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_recurrent_forward(file_, line_, m_, x_, lengths_, state_) bind(c, name='orr_recurrent_forward_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: x_
      type(c_ptr), value :: lengths_
      type(c_ptr), value :: state_
      type(c_ptr) :: r_
    end function
    function c_schedule_lr(s_, t_) bind(c, name='orr_schedule_lr') result(r_)
      import
      type(c_ptr), value :: s_
      integer(c_int64_t), value :: t_
      real(c_double) :: r_
    end function
    function c_plateau_lr(p_, lr_, loss_) bind(c, name='orr_plateau_lr') result(r_)
      import
      type(c_ptr), value :: p_
      real(c_double), value :: lr_
      real(c_double), value :: loss_
      real(c_double) :: r_
    end function
    function c_early_stop_update(e_, loss_) bind(c, name='orr_early_stop_update') result(r_)
      import
      type(c_ptr), value :: e_
      real(c_double), value :: loss_
      logical(c_bool) :: r_
    end function
    function c_autocast(file_, line_, dtype_) bind(c, name='orr_autocast_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: dtype_
      integer(c_int) :: r_
    end function
    function c_optim_step_scaled(file_, line_, o_, loss_, scale_, stepped_) bind(c, &
        name='orr_optim_step_scaled_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: o_
      type(c_ptr), value :: loss_
      type(c_ptr), value :: scale_
      type(c_ptr), value :: stepped_
      integer(c_int) :: r_
    end function
    function c_recompute(file_, line_, m_, x_) bind(c, name='orr_recompute_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_average_new(file_, line_, m_, decay_) bind(c, name='orr_average_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      real(c_double), value :: decay_
      type(c_ptr) :: r_
    end function
    function c_average_update(file_, line_, a_) bind(c, name='orr_average_update_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      integer(c_int) :: r_
    end function
    function c_average_swap(file_, line_, a_) bind(c, name='orr_average_swap_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      integer(c_int) :: r_
    end function
    subroutine c_average_free(a_) bind(c, name='orr_average_free')
      import
      type(c_ptr), value :: a_
    end subroutine
    function c_rank() bind(c, name='orr_rank') result(r_)
      import
      integer(c_int) :: r_
    end function
    function c_ranks() bind(c, name='orr_ranks') result(r_)
      import
      integer(c_int) :: r_
    end function
    function c_barrier(file_, line_) bind(c, name='orr_barrier_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int) :: r_
    end function
    function c_grid_make(file_, line_, axes_, extent_) bind(c, name='orr_grid_make_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: axes_
      type(c_ptr), value :: extent_
      type(c_ptr) :: r_
    end function
    subroutine c_grid_free(g_) bind(c, name='orr_grid_free')
      import
      type(c_ptr), value :: g_
    end subroutine
    function c_grid_place(g_, axis_) bind(c, name='orr_grid_place') result(r_)
      import
      type(c_ptr), value :: g_
      integer(c_int), value :: axis_
      integer(c_int64_t) :: r_
    end function
    function c_shard(file_, line_, t_, grid_, axes_) bind(c, name='orr_shard_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: grid_
      type(orr_axes), value :: axes_
      type(c_ptr) :: r_
    end function
    function c_shard_cyclic(file_, line_, t_, grid_, axes_, blocks_) bind(c, name='orr_shard_cyclic_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: grid_
      type(orr_axes), value :: axes_
      type(orr_index), value :: blocks_
      type(c_ptr) :: r_
    end function
    function c_replicate(file_, line_, t_) bind(c, name='orr_replicate_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_redistribute(file_, line_, t_, like_) bind(c, name='orr_redistribute_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: like_
      type(c_ptr) :: r_
    end function
    function c_distribution(t_) bind(c, name='orr_distribution') result(r_)
      import
      type(c_ptr), value :: t_
      type(c_ptr) :: r_
    end function
    function c_loader_new(file_, line_, arrays_, n_, options_) bind(c, name='orr_loader_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: arrays_
      integer(c_int), value :: n_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_loader_of_folder(file_, line_, path_, channels_, height_, width_, options_) bind(c, &
        name='orr_loader_of_folder_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: path_
      integer(c_int64_t), value :: channels_
      integer(c_int64_t), value :: height_
      integer(c_int64_t), value :: width_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_loader_classes(l_) bind(c, name='orr_loader_classes') result(r_)
      import
      type(c_ptr), value :: l_
      integer(c_int) :: r_
    end function
    function c_loader_class(l_, k_) bind(c, name='orr_loader_class') result(r_)
      import
      type(c_ptr), value :: l_
      integer(c_int), value :: k_
      type(c_ptr) :: r_
    end function
    function c_loader_arrays(l_) bind(c, name='orr_loader_arrays') result(r_)
      import
      type(c_ptr), value :: l_
      integer(c_int) :: r_
    end function
    function c_loader_next(file_, line_, l_, batch_) bind(c, name='orr_loader_next_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: l_
      type(c_ptr), value :: batch_
      integer(c_int64_t) :: r_
    end function
    function c_loader_batches(l_) bind(c, name='orr_loader_batches') result(r_)
      import
      type(c_ptr), value :: l_
      integer(c_int64_t) :: r_
    end function
    subroutine c_loader_free(l_) bind(c, name='orr_loader_free')
      import
      type(c_ptr), value :: l_
    end subroutine
    function c_plan_memory(file_, line_, t_, n_, out_) bind(c, name='orr_plan_memory_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      integer(c_int), value :: n_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_optimal_batch(file_, line_, fn_, user_, most_, bytes_, out_) bind(c, name='orr_optimal_batch_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
      integer(c_int64_t), value :: most_
      integer(c_int64_t), value :: bytes_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_place(file_, line_, shard_, n_, device_, m_, contiguous_, goal_, device_of_, out_) bind(c, &
        name='orr_place_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: shard_
      integer(c_int), value :: n_
      type(c_ptr), value :: device_
      integer(c_int), value :: m_
      logical(c_bool), value :: contiguous_
      integer(c_int), value :: goal_
      type(c_ptr), value :: device_of_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_data_parallel(file_, line_, m_, o_, options_) bind(c, name='orr_data_parallel_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: o_
      type(c_ptr), value :: options_
      integer(c_int) :: r_
    end function
    function c_dp_rdp(file_, line_, m_, alpha_, rdp_) bind(c, name='orr_dp_rdp_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_dp_mechanism), value :: m_
      real(c_double), value :: alpha_
      type(c_ptr), value :: rdp_
      integer(c_int) :: r_
    end function
    function c_dp_orders(out_, max_) bind(c, name='orr_dp_orders') result(r_)
      import
      type(c_ptr), value :: out_
      integer(c_int), value :: max_
      integer(c_int) :: r_
    end function
    function c_dp_rdp_epsilon(file_, line_, orders_, rdp_, n_, delta_, epsilon_, order_) bind(c, &
        name='orr_dp_rdp_epsilon_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: orders_
      type(c_ptr), value :: rdp_
      integer(c_int), value :: n_
      real(c_double), value :: delta_
      type(c_ptr), value :: epsilon_
      type(c_ptr), value :: order_
      integer(c_int) :: r_
    end function
    function c_dp_epsilon(file_, line_, how_, m_, times_, delta_, epsilon_) bind(c, name='orr_dp_epsilon_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: how_
      type(orr_dp_mechanism), value :: m_
      integer(c_int64_t), value :: times_
      real(c_double), value :: delta_
      type(c_ptr), value :: epsilon_
      integer(c_int) :: r_
    end function
    function c_dp_delta(file_, line_, m_, times_, epsilon_, delta_) bind(c, name='orr_dp_delta_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(orr_dp_mechanism), value :: m_
      integer(c_int64_t), value :: times_
      real(c_double), value :: epsilon_
      type(c_ptr), value :: delta_
      integer(c_int) :: r_
    end function
    function c_dp_find_noise(file_, line_, how_, kind_, q_, times_, epsilon_, delta_, noise_) bind(c, &
        name='orr_dp_find_noise_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: how_
      integer(c_int), value :: kind_
      real(c_double), value :: q_
      integer(c_int64_t), value :: times_
      real(c_double), value :: epsilon_
      real(c_double), value :: delta_
      type(c_ptr), value :: noise_
      integer(c_int) :: r_
    end function
    function c_dp_gaussian_delta(file_, line_, sigma_, epsilon_, delta_) bind(c, name='orr_dp_gaussian_delta_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: sigma_
      real(c_double), value :: epsilon_
      type(c_ptr), value :: delta_
      integer(c_int) :: r_
    end function
    function c_dp_gaussian_epsilon(file_, line_, sigma_, delta_, epsilon_) bind(c, &
        name='orr_dp_gaussian_epsilon_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: sigma_
      real(c_double), value :: delta_
      type(c_ptr), value :: epsilon_
      integer(c_int) :: r_
    end function
    function c_dp_gaussian_sigma(file_, line_, epsilon_, delta_, sigma_) bind(c, name='orr_dp_gaussian_sigma_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: epsilon_
      real(c_double), value :: delta_
      type(c_ptr), value :: sigma_
      integer(c_int) :: r_
    end function
    function c_dp_budget_new(file_, line_, how_, epsilon_, delta_) bind(c, name='orr_dp_budget_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: how_
      real(c_double), value :: epsilon_
      real(c_double), value :: delta_
      type(c_ptr) :: r_
    end function
    function c_dp_budget_spend(file_, line_, b_, m_, times_) bind(c, name='orr_dp_budget_spend_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: b_
      type(orr_dp_mechanism), value :: m_
      integer(c_int64_t), value :: times_
      integer(c_int) :: r_
    end function
    function c_dp_budget_spent(file_, line_, b_, epsilon_) bind(c, name='orr_dp_budget_spent_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: b_
      type(c_ptr), value :: epsilon_
      integer(c_int) :: r_
    end function
    function c_dp_budget_left(file_, line_, b_, m_, times_) bind(c, name='orr_dp_budget_left_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: b_
      type(orr_dp_mechanism), value :: m_
      type(c_ptr), value :: times_
      integer(c_int) :: r_
    end function
    function c_dp_budget_keep(file_, line_, b_, path_) bind(c, name='orr_dp_budget_keep_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: b_
      type(c_ptr), value :: path_
      integer(c_int) :: r_
    end function
    function c_dp_budget_allow(file_, line_, b_, what_) bind(c, name='orr_dp_budget_allow_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: b_
      integer(c_int), value :: what_
      integer(c_int) :: r_
    end function
    function c_checkpoint_add_budget(file_, line_, c_, name_, b_) bind(c, name='orr_checkpoint_add_budget_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: b_
      integer(c_int) :: r_
    end function
    subroutine c_dp_budget_free(b_) bind(c, name='orr_dp_budget_free')
      import
      type(c_ptr), value :: b_
    end subroutine
    subroutine c_dp_seed(seed_) bind(c, name='orr_dp_seed')
      import
      integer(c_int64_t), value :: seed_
    end subroutine
    subroutine c_dp_unseed() bind(c, name='orr_dp_unseed')
      import

    end subroutine
    function c_dp_poisson(file_, line_, n_, q_, index_, count_) bind(c, name='orr_dp_poisson_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int64_t), value :: n_
      real(c_double), value :: q_
      type(c_ptr), value :: index_
      type(c_ptr), value :: count_
      integer(c_int) :: r_
    end function
    function c_dp_laplace(file_, line_, x_, sensitivity_, epsilon_) bind(c, name='orr_dp_laplace_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: sensitivity_
      real(c_double), value :: epsilon_
      type(c_ptr) :: r_
    end function
    function c_dp_gaussian(file_, line_, x_, sensitivity_, sigma_) bind(c, name='orr_dp_gaussian_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: sensitivity_
      real(c_double), value :: sigma_
      type(c_ptr) :: r_
    end function
    function c_dp_discrete_laplace(file_, line_, x_, sensitivity_, epsilon_) bind(c, &
        name='orr_dp_discrete_laplace_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: sensitivity_
      real(c_double), value :: epsilon_
      type(c_ptr) :: r_
    end function
    function c_dp_discrete_gaussian(file_, line_, x_, sensitivity_, sigma_) bind(c, &
        name='orr_dp_discrete_gaussian_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      real(c_double), value :: sensitivity_
      real(c_double), value :: sigma_
      type(c_ptr) :: r_
    end function
    function c_dp_randomised_response(file_, line_, x_, k_, epsilon_) bind(c, &
        name='orr_dp_randomised_response_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: k_
      real(c_double), value :: epsilon_
      type(c_ptr) :: r_
    end function
    function c_dp_response_estimate(seen_, total_, k_, epsilon_) bind(c, name='orr_dp_response_estimate') result(r_)
      import
      real(c_double), value :: seen_
      real(c_double), value :: total_
      integer(c_int64_t), value :: k_
      real(c_double), value :: epsilon_
      real(c_double) :: r_
    end function
    function c_dp_exponential(file_, line_, scores_, sensitivity_, epsilon_, index_) bind(c, &
        name='orr_dp_exponential_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: scores_
      real(c_double), value :: sensitivity_
      real(c_double), value :: epsilon_
      type(c_ptr), value :: index_
      integer(c_int) :: r_
    end function
    function c_dp_sparse_new(file_, line_, threshold_, sensitivity_, most_, monotone_, epsilon_) bind(c, &
        name='orr_dp_sparse_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      real(c_double), value :: threshold_
      real(c_double), value :: sensitivity_
      integer(c_int64_t), value :: most_
      logical(c_bool), value :: monotone_
      real(c_double), value :: epsilon_
      type(c_ptr) :: r_
    end function
    function c_dp_sparse_ask(file_, line_, s_, query_, above_) bind(c, name='orr_dp_sparse_ask_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      real(c_double), value :: query_
      type(c_ptr), value :: above_
      integer(c_int) :: r_
    end function
    subroutine c_dp_sparse_free(s_) bind(c, name='orr_dp_sparse_free')
      import
      type(c_ptr), value :: s_
    end subroutine
    function c_dp_cross_entropy(output_, target_, unused_) bind(c, name='orr_dp_cross_entropy') result(r_)
      import
      type(c_ptr), value :: output_
      type(c_ptr), value :: target_
      type(c_ptr), value :: unused_
      type(c_ptr) :: r_
    end function
    function c_dp_squared_error(output_, target_, unused_) bind(c, name='orr_dp_squared_error') result(r_)
      import
      type(c_ptr), value :: output_
      type(c_ptr), value :: target_
      type(c_ptr), value :: unused_
      type(c_ptr) :: r_
    end function
    function c_dp_clipped_grads(file_, line_, m_, loss_, user_, x_, target_, weight_, clipping_, clip_, sums_, &
        norms_) bind(c, name='orr_dp_clipped_grads_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_funptr), value :: loss_
      type(c_ptr), value :: user_
      type(c_ptr), value :: x_
      type(c_ptr), value :: target_
      type(c_ptr), value :: weight_
      integer(c_int), value :: clipping_
      real(c_double), value :: clip_
      type(c_ptr), value :: sums_
      type(c_ptr), value :: norms_
      integer(c_int) :: r_
    end function
    function c_dp_clipped_grads_of_function(file_, line_, fn_, user_, params_, n_, x_, target_, weight_, clipping_, clip_, &
        sums_, norms_) bind(c, name='orr_dp_clipped_grads_of_function_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: user_
      type(c_ptr), value :: params_
      integer(c_int), value :: n_
      type(c_ptr), value :: x_
      type(c_ptr), value :: target_
      type(c_ptr), value :: weight_
      integer(c_int), value :: clipping_
      real(c_double), value :: clip_
      type(c_ptr), value :: sums_
      type(c_ptr), value :: norms_
      integer(c_int) :: r_
    end function
    subroutine c_dp_defaults(r_) bind(c, name='orr__fortran_dp_defaults')
      import
      type(orr_dp_options), intent(out) :: r_
    end subroutine
    function c_dp_sgd_new(file_, line_, m_, o_, options_) bind(c, name='orr_dp_sgd_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: m_
      type(c_ptr), value :: o_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_dp_sgd_of_function(file_, line_, fn_, params_, n_, o_, options_) bind(c, &
        name='orr_dp_sgd_of_function_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_funptr), value :: fn_
      type(c_ptr), value :: params_
      integer(c_int), value :: n_
      type(c_ptr), value :: o_
      type(c_ptr), value :: options_
      type(c_ptr) :: r_
    end function
    function c_dp_sgd_step(file_, line_, t_, x_, target_, loss_) bind(c, name='orr_dp_sgd_step_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(c_ptr), value :: x_
      type(c_ptr), value :: target_
      type(c_ptr), value :: loss_
      integer(c_int) :: r_
    end function
    function c_dp_sgd_clip(t_) bind(c, name='orr_dp_sgd_clip') result(r_)
      import
      type(c_ptr), value :: t_
      real(c_double) :: r_
    end function
    function c_dp_sgd_steps(t_) bind(c, name='orr_dp_sgd_steps') result(r_)
      import
      type(c_ptr), value :: t_
      integer(c_int64_t) :: r_
    end function
    function c_checkpoint_add_dp_sgd(file_, line_, c_, name_, t_) bind(c, name='orr_checkpoint_add_dp_sgd_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: name_
      type(c_ptr), value :: t_
      integer(c_int) :: r_
    end function
    subroutine c_dp_sgd_free(t_) bind(c, name='orr_dp_sgd_free')
      import
      type(c_ptr), value :: t_
    end subroutine
    subroutine c_bytes_free(b_) bind(c, name='orr_bytes_free')
      import
      type(c_ptr), value :: b_
    end subroutine
    function c_fixed_limit(format_) bind(c, name='orr_fixed_limit') result(r_)
      import
      type(orr_fixed), value :: format_
      real(c_double) :: r_
    end function
    function c_fixed_encode(file_, line_, x_, format_) bind(c, name='orr_fixed_encode_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(orr_fixed), value :: format_
      type(c_ptr) :: r_
    end function
    function c_fixed_decode(file_, line_, t_, format_, dtype_) bind(c, name='orr_fixed_decode_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: t_
      type(orr_fixed), value :: format_
      integer(c_int), value :: dtype_
      type(c_ptr) :: r_
    end function
    function c_additive_split(file_, line_, secret_, n_, modulus_) bind(c, name='orr_additive_split_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: secret_
      integer(c_int), value :: n_
      integer(c_int), value :: modulus_
      type(c_ptr) :: r_
    end function
    function c_additive_join(file_, line_, shares_, modulus_) bind(c, name='orr_additive_join_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: shares_
      integer(c_int), value :: modulus_
      type(c_ptr) :: r_
    end function
    function c_shamir_split(file_, line_, secret_, threshold_, n_) bind(c, name='orr_shamir_split_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: secret_
      integer(c_int), value :: threshold_
      integer(c_int), value :: n_
      type(c_ptr) :: r_
    end function
    function c_shamir_join(file_, line_, shares_, points_, threshold_) bind(c, name='orr_shamir_join_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: shares_
      type(c_ptr), value :: points_
      integer(c_int), value :: threshold_
      type(c_ptr) :: r_
    end function
    function c_shamir_correct(file_, line_, shares_, points_, threshold_, wrong_) bind(c, &
        name='orr_shamir_correct_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: shares_
      type(c_ptr), value :: points_
      integer(c_int), value :: threshold_
      type(c_ptr), value :: wrong_
      type(c_ptr) :: r_
    end function
    function c_secagg_identity(file_, line_, public_key_, secret_key_) bind(c, name='orr_secagg_identity_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: public_key_
      type(c_ptr), value :: secret_key_
      integer(c_int) :: r_
    end function
    function c_secagg_client_new(file_, line_, config_, index_, secret_key_) bind(c, &
        name='orr_secagg_client_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: config_
      integer(c_int), value :: index_
      type(c_ptr), value :: secret_key_
      type(c_ptr) :: r_
    end function
    subroutine c_secagg_client_free(c_) bind(c, name='orr_secagg_client_free')
      import
      type(c_ptr), value :: c_
    end subroutine
    function c_secagg_advertise(file_, line_, c_, out_) bind(c, name='orr_secagg_advertise_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_share_keys(file_, line_, c_, in_, out_) bind(c, name='orr_secagg_share_keys_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: in_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_mask(file_, line_, c_, in_, x_, out_) bind(c, name='orr_secagg_mask_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: in_
      type(c_ptr), value :: x_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_confirm(file_, line_, c_, in_, out_) bind(c, name='orr_secagg_confirm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: in_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_unmask(file_, line_, c_, in_, out_) bind(c, name='orr_secagg_unmask_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: in_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_server_new(file_, line_, config_) bind(c, name='orr_secagg_server_new_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: config_
      type(c_ptr) :: r_
    end function
    subroutine c_secagg_server_free(s_) bind(c, name='orr_secagg_server_free')
      import
      type(c_ptr), value :: s_
    end subroutine
    function c_secagg_receive(file_, line_, s_, in_, n_, taken_) bind(c, name='orr_secagg_receive_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      type(c_ptr), value :: in_
      integer(c_int), value :: n_
      type(c_ptr), value :: taken_
      integer(c_int) :: r_
    end function
    function c_secagg_close(file_, line_, s_) bind(c, name='orr_secagg_close_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      integer(c_int) :: r_
    end function
    function c_secagg_send(file_, line_, s_, index_, out_) bind(c, name='orr_secagg_send_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      integer(c_int), value :: index_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_secagg_alive(s_, index_) bind(c, name='orr_secagg_alive') result(r_)
      import
      type(c_ptr), value :: s_
      integer(c_int), value :: index_
      logical(c_bool) :: r_
    end function
    function c_secagg_result(file_, line_, s_, dtype_) bind(c, name='orr_secagg_result_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: s_
      integer(c_int), value :: dtype_
      type(c_ptr) :: r_
    end function
    function c_paillier_generate(file_, line_, bits_) bind(c, name='orr_paillier_generate_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: bits_
      type(c_ptr) :: r_
    end function
    function c_paillier_public(file_, line_, key_) bind(c, name='orr_paillier_public_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr) :: r_
    end function
    subroutine c_paillier_free(key_) bind(c, name='orr_paillier_free')
      import
      type(c_ptr), value :: key_
    end subroutine
    function c_paillier_bits(key_) bind(c, name='orr_paillier_bits') result(r_)
      import
      type(c_ptr), value :: key_
      integer(c_int) :: r_
    end function
    function c_paillier_has_private(key_) bind(c, name='orr_paillier_has_private') result(r_)
      import
      type(c_ptr), value :: key_
      logical(c_bool) :: r_
    end function
    function c_paillier_id(file_, line_, key_, id_) bind(c, name='orr_paillier_id_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr), value :: id_
      integer(c_int) :: r_
    end function
    function c_paillier_save(file_, line_, key_, with_private_, out_) bind(c, name='orr_paillier_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      logical(c_bool), value :: with_private_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_paillier_load(file_, line_, in_) bind(c, name='orr_paillier_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: in_
      type(c_ptr) :: r_
    end function
    function c_paillier_prepare(file_, line_, key_, count_) bind(c, name='orr_paillier_prepare_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      integer(c_int64_t), value :: count_
      integer(c_int) :: r_
    end function
    function c_paillier_encrypt(file_, line_, key_, x_, packing_) bind(c, name='orr_paillier_encrypt_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr), value :: x_
      type(orr_packing), value :: packing_
      type(c_ptr) :: r_
    end function
    function c_paillier_decrypt(file_, line_, key_, e_, dtype_) bind(c, name='orr_paillier_decrypt_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr), value :: e_
      integer(c_int), value :: dtype_
      type(c_ptr) :: r_
    end function
    function c_paillier_add(file_, line_, a_, b_) bind(c, name='orr_paillier_add_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: b_
      type(c_ptr) :: r_
    end function
    function c_paillier_add_plain(file_, line_, a_, x_) bind(c, name='orr_paillier_add_plain_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_paillier_mul_plain(file_, line_, a_, w_, fraction_) bind(c, name='orr_paillier_mul_plain_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: w_
      integer(c_int), value :: fraction_
      type(c_ptr) :: r_
    end function
    function c_paillier_sum(file_, line_, a_, axis_) bind(c, name='orr_paillier_sum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_paillier_dot(file_, line_, a_, w_, axis_, fraction_) bind(c, name='orr_paillier_dot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: a_
      type(c_ptr), value :: w_
      integer(c_int), value :: axis_
      integer(c_int), value :: fraction_
      type(c_ptr) :: r_
    end function
    function c_paillier_rerandomize(file_, line_, key_, a_) bind(c, name='orr_paillier_rerandomize_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr), value :: a_
      type(c_ptr) :: r_
    end function
    subroutine c_encrypted_free(e_) bind(c, name='orr_encrypted_free')
      import
      type(c_ptr), value :: e_
    end subroutine
    subroutine c_encrypted_shape(r_, e_) bind(c, name='orr__fortran_encrypted_shape')
      import
      type(orr_shape), intent(out) :: r_
      type(c_ptr), value :: e_
    end subroutine
    function c_encrypted_slots(e_) bind(c, name='orr_encrypted_slots') result(r_)
      import
      type(c_ptr), value :: e_
      integer(c_int) :: r_
    end function
    function c_encrypted_save(file_, line_, e_, out_) bind(c, name='orr_encrypted_save_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: e_
      type(c_ptr), value :: out_
      integer(c_int) :: r_
    end function
    function c_encrypted_load(file_, line_, key_, in_) bind(c, name='orr_encrypted_load_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: key_
      type(c_ptr), value :: in_
      type(c_ptr) :: r_
    end function
    function c_field_parse(file_, line_, field_, text_, n_) bind(c, name='orr_field_parse_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: field_
      type(c_ptr), value :: text_
      integer(c_int64_t), value :: n_
      type(c_ptr) :: r_
    end function
    function c_field_text(file_, line_, x_, i_, text_) bind(c, name='orr_field_text_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int64_t), value :: i_
      type(c_ptr), value :: text_
      integer(c_int) :: r_
    end function
    function c_field_from_limbs(file_, line_, field_, limbs_) bind(c, name='orr_field_from_limbs_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: field_
      type(c_ptr), value :: limbs_
      type(c_ptr) :: r_
    end function
    function c_field_limbs(file_, line_, x_) bind(c, name='orr_field_limbs_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_field_inverse(file_, line_, x_) bind(c, name='orr_field_inverse_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_field_pow(file_, line_, x_, e_) bind(c, name='orr_field_pow_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: e_
      type(c_ptr) :: r_
    end function
    function c_field_sum(file_, line_, x_, axis_) bind(c, name='orr_field_sum_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      integer(c_int), value :: axis_
      type(c_ptr) :: r_
    end function
    function c_field_dot(file_, line_, x_, y_) bind(c, name='orr_field_dot_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: y_
      type(c_ptr) :: r_
    end function
    function c_field_ntt(file_, line_, x_, shift_) bind(c, name='orr_field_ntt_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: shift_
      type(c_ptr) :: r_
    end function
    function c_field_ntt_inverse(file_, line_, x_, shift_) bind(c, name='orr_field_ntt_inverse_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr), value :: shift_
      type(c_ptr) :: r_
    end function
    function c_field_poly_eval(file_, line_, c_, x_) bind(c, name='orr_field_poly_eval_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    subroutine c_field_poly_divide(r_, file_, line_, c_, d_) bind(c, name='orr__fortran_field_poly_divide')
      import
      type(orr_field_division), intent(out) :: r_
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: c_
      type(c_ptr), value :: d_
    end subroutine
    function c_poseidon(file_, line_, x_) bind(c, name='orr_poseidon_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: x_
      type(c_ptr) :: r_
    end function
    function c_merkle_tree(file_, line_, leaves_, arity_) bind(c, name='orr_merkle_tree_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: leaves_
      integer(c_int), value :: arity_
      type(c_ptr) :: r_
    end function
    function c_merkle_root(file_, line_, tree_) bind(c, name='orr_merkle_root_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: tree_
      type(c_ptr) :: r_
    end function
    function c_merkle_proof(file_, line_, tree_, arity_, leaf_) bind(c, name='orr_merkle_proof_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: tree_
      integer(c_int), value :: arity_
      integer(c_int64_t), value :: leaf_
      type(c_ptr) :: r_
    end function
    function c_merkle_verify(file_, line_, root_, value_, leaf_, proof_) bind(c, name='orr_merkle_verify_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: root_
      type(c_ptr), value :: value_
      integer(c_int64_t), value :: leaf_
      type(c_ptr), value :: proof_
      type(c_ptr) :: r_
    end function
    function c_curve_generator(file_, line_, curve_) bind(c, name='orr_curve_generator_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr) :: r_
    end function
    function c_curve_add(file_, line_, curve_, p_, q_) bind(c, name='orr_curve_add_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr), value :: q_
      type(c_ptr) :: r_
    end function
    function c_curve_neg(file_, line_, curve_, p_) bind(c, name='orr_curve_neg_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_curve_double(file_, line_, curve_, p_) bind(c, name='orr_curve_double_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_curve_multiply(file_, line_, curve_, p_, k_) bind(c, name='orr_curve_multiply_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr), value :: k_
      type(c_ptr) :: r_
    end function
    function c_curve_contains(file_, line_, curve_, p_) bind(c, name='orr_curve_contains_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_curve_in_group(file_, line_, curve_, p_) bind(c, name='orr_curve_in_group_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_curve_compress(file_, line_, curve_, p_) bind(c, name='orr_curve_compress_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr) :: r_
    end function
    function c_curve_decompress(file_, line_, curve_, bytes_) bind(c, name='orr_curve_decompress_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: bytes_
      type(c_ptr) :: r_
    end function
    function c_curve_msm(file_, line_, curve_, p_, k_) bind(c, name='orr_curve_msm_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      integer(c_int), value :: curve_
      type(c_ptr), value :: p_
      type(c_ptr), value :: k_
      type(c_ptr) :: r_
    end function
    function c_curve_pairing_check(file_, line_, p_, q_) bind(c, name='orr_curve_pairing_check_at') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int), value :: line_
      type(c_ptr), value :: p_
      type(c_ptr), value :: q_
      type(c_ptr) :: r_
    end function
    function c_strlen(text_) bind(c, name='strlen') result(r_)
      import
      type(c_ptr), value :: text_
      integer(c_size_t) :: r_
    end function
    function c_open_memstream(text_, size_) bind(c, name='open_memstream') result(r_)
      import
      type(c_ptr), value :: text_, size_
      type(c_ptr) :: r_
    end function
    function c_fclose(file_) bind(c, name='fclose') result(r_)
      import
      type(c_ptr), value :: file_
      integer(c_int) :: r_
    end function
    subroutine c_release(memory_) bind(c, name='free')
      import
      type(c_ptr), value :: memory_
    end subroutine
  end interface
end module

!> Tensors, arrays, operators; each function of C with lists as arrays and errors by stat and errmsg.
module orrery
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: output_unit
  use orrery_c
  implicit none
  private

  public :: ORR_OK
  public :: ORR_EINVAL
  public :: ORR_ESHAPE
  public :: ORR_EDTYPE
  public :: ORR_EAXIS
  public :: ORR_EINDEX
  public :: ORR_ENOMEM
  public :: ORR_EIO
  public :: ORR_EFORMAT
  public :: ORR_ESTATE
  public :: ORR_EHANDLE
  public :: ORR_EGRAPH
  public :: ORR_EDEVICE
  public :: ORR_EENV
  public :: ORR_ENUMERIC
  public :: ORR_ERANK
  public :: ORR_ECANCELLED
  public :: ORR_EINTERNAL
  public :: ORR_LOG_ERROR
  public :: ORR_LOG_WARNING
  public :: ORR_LOG_INFO
  public :: ORR_LOG_DEBUG
  public :: ORR_BOOL
  public :: ORR_I8
  public :: ORR_I16
  public :: ORR_I32
  public :: ORR_I64
  public :: ORR_U8
  public :: ORR_U16
  public :: ORR_U32
  public :: ORR_U64
  public :: ORR_F16
  public :: ORR_BF16
  public :: ORR_F32
  public :: ORR_F64
  public :: ORR_C64
  public :: ORR_C128
  public :: ORR_FR254
  public :: ORR_FQ254
  public :: ORR_DTYPE_COUNT
  public :: ORR_SCATTER_SET
  public :: ORR_SCATTER_ADD_
  public :: ORR_SCATTER_MUL
  public :: ORR_SCATTER_MIN
  public :: ORR_SCATTER_MAX
  public :: ORR_KIND_BOOL
  public :: ORR_KIND_SIGNED
  public :: ORR_KIND_UNSIGNED
  public :: ORR_KIND_FLOAT
  public :: ORR_KIND_COMPLEX
  public :: ORR_KIND_INTEGRAL
  public :: ORR_KIND_NUMERIC
  public :: ORR_NORM_FROBENIUS
  public :: ORR_NORM_NUCLEAR
  public :: ORR_NORM_ONE
  public :: ORR_NORM_TWO
  public :: ORR_NORM_INFINITY
  public :: ORR_NORM_LEAST_ONE
  public :: ORR_NORM_LEAST_TWO
  public :: ORR_NORM_LEAST_INFINITY
  public :: ORR_NORM_KINDS
  public :: ORR_FFT_BACKWARD
  public :: ORR_FFT_ORTHO
  public :: ORR_FFT_FORWARD
  public :: ORR_CONV_FULL
  public :: ORR_CONV_SAME
  public :: ORR_CONV_VALID
  public :: ORR_CONV_ZERO
  public :: ORR_CONV_REFLECT
  public :: ORR_CONV_WRAP
  public :: ORR_IMAGE_PNG
  public :: ORR_IMAGE_JPEG
  public :: ORR_DLPACK_CPU
  public :: ORR_DLPACK_CUDA
  public :: ORR_DLPACK_CUDA_HOST
  public :: ORR_DLPACK_INT
  public :: ORR_DLPACK_UINT
  public :: ORR_DLPACK_FLOAT
  public :: ORR_DLPACK_BFLOAT
  public :: ORR_DLPACK_COMPLEX
  public :: ORR_DLPACK_BOOL
  public :: ORR_DLPACK_READ_ONLY
  public :: ORR_DLPACK_IS_COPIED
  public :: ORR_DEVICE_CPU
  public :: ORR_DEVICE_CUDA
  public :: ORR_DEVICE_OPENCL
  public :: ORR_MEASURE_MEMORY_TOTAL
  public :: ORR_MEASURE_MEMORY_FREE
  public :: ORR_MEASURE_COMPUTE_UNITS
  public :: ORR_MEASURE_TEMPERATURE
  public :: ORR_MEASURE_POWER
  public :: ORR_MEASURE_UTILISATION
  public :: ORR_MEASURE_CLOCK
  public :: ORR_MEASURE_MEMORY_CLOCK
  public :: ORR_MEASURE_COUNT
  public :: ORR_CHANGED_SET
  public :: ORR_CHANGED_KNOWN
  public :: ORR_CHANGED_READING
  public :: ORR_MEMORY_VALUES
  public :: ORR_MEMORY_POOL
  public :: ORR_MEMORY_SCRATCH
  public :: ORR_MEMORY_HANDLES
  public :: ORR_MEMORY_GRAPHS
  public :: ORR_MEMORY_PLANS
  public :: ORR_MEMORY_PROGRAMS
  public :: ORR_MEMORY_LIBRARIES
  public :: ORR_MEMORY_TABLES
  public :: ORR_MEMORY_KERNELS
  public :: ORR_MEMORY_MODELS
  public :: ORR_MEMORY_OWNERS
  public :: ORR_INITIALISER_KIND_DEFAULT
  public :: ORR_INITIALISER_KIND_NONE
  public :: ORR_INITIALISER_KIND_ZEROS
  public :: ORR_INITIALISER_KIND_CONSTANT
  public :: ORR_INITIALISER_KIND_UNIFORM
  public :: ORR_INITIALISER_KIND_NORMAL
  public :: ORR_INITIALISER_KIND_GLOROT_UNIFORM
  public :: ORR_INITIALISER_KIND_GLOROT_NORMAL
  public :: ORR_INITIALISER_KIND_HE_UNIFORM
  public :: ORR_INITIALISER_KIND_HE_NORMAL
  public :: ORR_ACTIVATION_LINEAR
  public :: ORR_ACTIVATION_RELU
  public :: ORR_ACTIVATION_LEAKY_RELU
  public :: ORR_ACTIVATION_ELU
  public :: ORR_ACTIVATION_GELU
  public :: ORR_ACTIVATION_GELU_TANH
  public :: ORR_ACTIVATION_SILU
  public :: ORR_ACTIVATION_SIGMOID
  public :: ORR_ACTIVATION_TANH
  public :: ORR_ACTIVATION_SOFTPLUS
  public :: ORR_ACTIVATION_MISH
  public :: ORR_ACTIVATION_HARDSWISH
  public :: ORR_ACTIVATION_SOFTMAX
  public :: ORR_ACTIVATION_LOG_SOFTMAX
  public :: ORR_OPTIM_SGD
  public :: ORR_OPTIM_ADAM
  public :: ORR_OPTIM_ADAMW
  public :: ORR_OPTIM_RMSPROP
  public :: ORR_OPTIM_ADAGRAD
  public :: ORR_OPTIM_LAMB
  public :: ORR_RESIZE_NEAREST
  public :: ORR_RESIZE_LINEAR
  public :: ORR_RESIZE_CUBIC
  public :: ORR_RESIZE_AREA
  public :: ORR_RESIZE_NEAREST_CENTRE
  public :: ORR_REDUCTION_MEAN
  public :: ORR_REDUCTION_SUM
  public :: ORR_REDUCTION_NONE
  public :: ORR_REDUCTION_BATCH_MEAN
  public :: ORR_CELL_RNN
  public :: ORR_CELL_RNN_RELU
  public :: ORR_CELL_LSTM
  public :: ORR_CELL_GRU
  public :: ORR_SCHEDULE_CONSTANT
  public :: ORR_SCHEDULE_STEP
  public :: ORR_SCHEDULE_COSINE
  public :: ORR_SCHEDULE_ONE_CYCLE
  public :: ORR_GRID_AXES
  public :: ORR_WHOLE
  public :: ORR_PLACE_LATENCY
  public :: ORR_PLACE_THROUGHPUT
  public :: ORR_DP_GAUSSIAN_
  public :: ORR_DP_LAPLACE_
  public :: ORR_DP_PURE
  public :: ORR_DP_RDP_
  public :: ORR_DP_PLD
  public :: ORR_DP_OLDER
  public :: ORR_DP_MOVED
  public :: ORR_DP_FLAT
  public :: ORR_DP_PER_LAYER
  public :: ORR_DP_ADAPTIVE
  public :: ORR_MOD_2_32
  public :: ORR_MOD_2_64
  public :: ORR_MOD_P61
  public :: ORR_G1
  public :: ORR_G2
  public :: ORR_MAX_RANK
  public :: ORR_FIELD_TEXT_
  public :: ORR_PAILLIER_ID_
  public :: ORR_FIXED_MOST
  public :: ORR_NPY_HEADER_
  public :: ORR_MAX_KERNEL_PARAMS
  public :: ORR_HEADERS
  public :: ORR_MAX_KERNEL_INPUTS
  public :: orr_number
  public :: orr_shape
  public :: orr_axes
  public :: orr_index
  public :: orr_float_facts
  public :: orr_integer_facts
  public :: orr_lstsq_result
  public :: orr_slogdet_result
  public :: orr_lu_result
  public :: orr_qr_result
  public :: orr_svd_result
  public :: orr_eigh_result
  public :: orr_eig_result
  public :: orr_iteration_options
  public :: orr_cg_result
  public :: orr_lobpcg_result
  public :: orr_kernel_array
  public :: orr_kernel_args
  public :: orr_kernel_back
  public :: orr_kernel_def
  public :: orr_config
  public :: orr_buffer
  public :: orr_dlpack_array
  public :: orr_dlpack_unversioned
  public :: orr_dlpack_versioned
  public :: orr_stat
  public :: orr_metric
  public :: orr_reading
  public :: orr_device
  public :: orr_memory
  public :: orr_fact
  public :: orr_cache_entry
  public :: orr_machine_number
  public :: orr_perfmodel
  public :: orr_initialiser
  public :: orr_parameter
  public :: orr_optim_options
  public :: orr_conv_options
  public :: orr_pool_options
  public :: orr_class_options
  public :: orr_attention_options
  public :: orr_norm_options
  public :: orr_heads_options
  public :: orr_scan_lists
  public :: orr_scan_options
  public :: orr_recurrent_options
  public :: orr_schedule
  public :: orr_plateau
  public :: orr_early_stop
  public :: orr_loss_scale
  public :: orr_loader_options
  public :: orr_memory_plan
  public :: orr_batch_choice
  public :: orr_shard_
  public :: orr_place_device
  public :: orr_placement
  public :: orr_data_parallel_options
  public :: orr_dp_mechanism
  public :: orr_dp_options
  public :: orr_bytes
  public :: orr_fixed
  public :: orr_secagg_config
  public :: orr_packing
  public :: orr_field_division

  !> Owner of the tensors that its thread makes while it is the innermost scope.
  type, public :: orr_scope
    type(c_ptr) :: p = c_null_ptr
  end type

  !> An operation of the program's own. The pointer is a checked name, not an address.
  type, public :: orr_op
    type(c_ptr) :: p = c_null_ptr
  end type

  !> An evaluation under way, freed by orr_wait. A checked name, not an address, like a tensor; so is orr_graph.
  type, public :: orr_event
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A planned function of placeholders, built once and submitted often.
  type, public :: orr_graph
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A function with parameters. A module owns its variables, which belong to no scope, and the modules that it is
  !> composed of. Only the values of its variables change, so threads may share it. Functions that make a module return
  !> NULL on error and set the last error. If a module of a composition is NULL, the others are freed and the result is
  !> NULL, so one check at the end is enough. The path of a variable has at most 63 bytes; a composition with a longer
  !> one is refused (ORR_EINVAL).
  type, public :: orr_module
    type(c_ptr) :: p = c_null_ptr
  end type

  !> An optimiser: variables, their state (variables of its own) and the number of steps made. One thread at a time.
  type, public :: orr_optim
    type(c_ptr) :: p = c_null_ptr
  end type

  !> The list of a run's parts, and the place of its files.
  type, public :: orr_checkpoint
    type(c_ptr) :: p = c_null_ptr
  end type

  !> The keys and values of earlier places, of every self-attention of a module, for generation. One thread at a time.
  type, public :: orr_kv_cache
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A moving average of a module's parameters, in f32, or the parameter's dtype if that is wider. One thread at a
  !> time.
  type, public :: orr_average
    type(c_ptr) :: p = c_null_ptr
  end type

  !> All ranks as the places of a grid in row-major order: rank r of a 2 × 3 grid is at (r / 3, r % 3).
  type, public :: orr_grid
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A source of batches. One thread at a time; a forked process is refused (ORR_ESTATE).
  type, public :: orr_loader
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A limit of ε at a δ, and the uses booked so far. It counts only reported uses, and cannot count a release of the data
  !> that bypasses it. One thread at a time.
  !> The uses are in memory: a run that ends and begins again has none, unless they are in a checkpoint
  !> (orr_checkpoint_add_budget, orr_checkpoint_add_dp_sgd) or in a file (orr_dp_budget_keep). A forked child cannot spend a budget
  !> that is in memory alone (ORR_ESTATE).
  type, public :: orr_dp_budget
    type(c_ptr) :: p = c_null_ptr
  end type

  !> The sparse vector technique: reports which of a stream of queries are above a threshold; only those cost privacy. One thread
  !> at a time; a forked process is refused (ORR_ESTATE).
  type, public :: orr_dp_sparse
    type(c_ptr) :: p = c_null_ptr
  end type

  !> Private training of one model. One thread at a time.
  type, public :: orr_dp_sgd
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A client's, or the server's, side of one run.
  type, public :: orr_secagg_client
    type(c_ptr) :: p = c_null_ptr
  end type

  !> See orrery/share.h.
  type, public :: orr_secagg_server
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A key pair, or a public key alone. Encryption hides numbers from readers without the private key, as long as n is
  !> not factored. NIST SP 800-57 recommends 2048 bits until 2030 and 3072 beyond. P. Paillier, "Public-key cryptosystems
  !> based on composite degree residuosity classes", 1999, with g = n + 1.
  type, public :: orr_paillier
    type(c_ptr) :: p = c_null_ptr
  end type

  !> Encrypted numbers of a shape, with their public key. Immutable. Free with orr_encrypted_free.
  type, public :: orr_encrypted
    type(c_ptr) :: p = c_null_ptr
  end type

  !> A tensor. Assignment makes a further holder of the same tensor, which the last one frees. A result of a function has no
  !> holder until it is assigned; a procedure of this module that is given one frees it after its use.
  type, public :: orr_tensor
    private
    type(c_ptr) :: t = c_null_ptr
    type(held), pointer :: p => null() ! lives as long as t, unless the tensor is borrowed: then there is none
    logical :: holds = .false.
  contains
    procedure, private :: assign_tensor
    generic, public :: assignment(=) => assign_tensor
    final :: end_tensor
  end type

  !> The tensor of C that objects hold together.
  type :: held
    type(c_ptr) :: t = c_null_ptr
    integer :: holders = 0
  end type

  ! The place that messages name.
  character(kind=c_char, len=:), pointer, save :: place_file => null()
  integer(c_int), save :: place_line = 0
  character(kind=c_char, len=8), target, save :: no_place = 'Fortran' // c_null_char

  integer(c_int), parameter, public :: ORR_FLAT = -2147483647 - 1
  integer(c_int64_t), parameter, public :: ORR_END = -9223372036854775807_c_int64_t - 1

  interface operator(+)
    procedure :: tensor_itself
  end interface
  interface operator(.not.)
    procedure :: tensor_not
  end interface
  public :: operator(+), operator(-), operator(*), operator(/), operator(**), operator(==), operator(/=), operator(<), &
    operator(<=), operator(>), operator(>=), operator(.and.), operator(.or.), operator(.not.)
  public :: orr_here, orr_free, orr_start, orr_from, orr_wrap, orr_read, orr_borrow, orr_pointer, orr_operand

  !> orr_operand(v): a tensor without axes that takes the dtype of the other operand, of a real or an integer; complex numbers are c64 and c128.
  interface orr_operand
    procedure :: of_number
  end interface
  !> A copy of an array of any kind and rank: element a(i, j) is the element (i − 1, j − 1) of the tensor.
  interface orr_from
    procedure :: copy_i8_0, &
      copy_i8_1, &
      copy_i8_2, &
      copy_i8_3, &
      copy_i8_4, &
      copy_i8_5, &
      copy_i8_6, &
      copy_i8_7, &
      copy_i8_8, &
      copy_i16_0, &
      copy_i16_1, &
      copy_i16_2, &
      copy_i16_3, &
      copy_i16_4, &
      copy_i16_5, &
      copy_i16_6, &
      copy_i16_7, &
      copy_i16_8, &
      copy_i32_0, &
      copy_i32_1, &
      copy_i32_2, &
      copy_i32_3, &
      copy_i32_4, &
      copy_i32_5, &
      copy_i32_6, &
      copy_i32_7, &
      copy_i32_8, &
      copy_i64_0, &
      copy_i64_1, &
      copy_i64_2, &
      copy_i64_3, &
      copy_i64_4, &
      copy_i64_5, &
      copy_i64_6, &
      copy_i64_7, &
      copy_i64_8, &
      copy_f32_0, &
      copy_f32_1, &
      copy_f32_2, &
      copy_f32_3, &
      copy_f32_4, &
      copy_f32_5, &
      copy_f32_6, &
      copy_f32_7, &
      copy_f32_8, &
      copy_f64_0, &
      copy_f64_1, &
      copy_f64_2, &
      copy_f64_3, &
      copy_f64_4, &
      copy_f64_5, &
      copy_f64_6, &
      copy_f64_7, &
      copy_f64_8, &
      copy_c64_0, &
      copy_c64_1, &
      copy_c64_2, &
      copy_c64_3, &
      copy_c64_4, &
      copy_c64_5, &
      copy_c64_6, &
      copy_c64_7, &
      copy_c64_8, &
      copy_c128_0, &
      copy_c128_1, &
      copy_c128_2, &
      copy_c128_3, &
      copy_c128_4, &
      copy_c128_5, &
      copy_c128_6, &
      copy_c128_7, &
      copy_c128_8, &
      copy_bool_0, &
      copy_bool_1, &
      copy_bool_2, &
      copy_bool_3, &
      copy_bool_4, &
      copy_bool_5, &
      copy_bool_6, &
      copy_bool_7, &
      copy_bool_8
  end interface
  !> The memory of an array without a copy. It must be contiguous, have the attribute target, and stay unchanged until
  !> orr_shutdown.
  interface orr_wrap
    procedure :: wrap_i8_0, &
      wrap_i8_1, &
      wrap_i8_2, &
      wrap_i8_3, &
      wrap_i8_4, &
      wrap_i8_5, &
      wrap_i8_6, &
      wrap_i8_7, &
      wrap_i8_8, &
      wrap_i16_0, &
      wrap_i16_1, &
      wrap_i16_2, &
      wrap_i16_3, &
      wrap_i16_4, &
      wrap_i16_5, &
      wrap_i16_6, &
      wrap_i16_7, &
      wrap_i16_8, &
      wrap_i32_0, &
      wrap_i32_1, &
      wrap_i32_2, &
      wrap_i32_3, &
      wrap_i32_4, &
      wrap_i32_5, &
      wrap_i32_6, &
      wrap_i32_7, &
      wrap_i32_8, &
      wrap_i64_0, &
      wrap_i64_1, &
      wrap_i64_2, &
      wrap_i64_3, &
      wrap_i64_4, &
      wrap_i64_5, &
      wrap_i64_6, &
      wrap_i64_7, &
      wrap_i64_8, &
      wrap_f32_0, &
      wrap_f32_1, &
      wrap_f32_2, &
      wrap_f32_3, &
      wrap_f32_4, &
      wrap_f32_5, &
      wrap_f32_6, &
      wrap_f32_7, &
      wrap_f32_8, &
      wrap_f64_0, &
      wrap_f64_1, &
      wrap_f64_2, &
      wrap_f64_3, &
      wrap_f64_4, &
      wrap_f64_5, &
      wrap_f64_6, &
      wrap_f64_7, &
      wrap_f64_8, &
      wrap_c64_0, &
      wrap_c64_1, &
      wrap_c64_2, &
      wrap_c64_3, &
      wrap_c64_4, &
      wrap_c64_5, &
      wrap_c64_6, &
      wrap_c64_7, &
      wrap_c64_8, &
      wrap_c128_0, &
      wrap_c128_1, &
      wrap_c128_2, &
      wrap_c128_3, &
      wrap_c128_4, &
      wrap_c128_5, &
      wrap_c128_6, &
      wrap_c128_7, &
      wrap_c128_8, &
      wrap_bool_0, &
      wrap_bool_1, &
      wrap_bool_2, &
      wrap_bool_3, &
      wrap_bool_4, &
      wrap_bool_5, &
      wrap_bool_6, &
      wrap_bool_7, &
      wrap_bool_8
  end interface
  !> call orr_read(x, a): evaluates x and copies its elements to the array a of x's shape, cast to its kind.
  interface orr_read
    procedure :: read_i8_0, &
      read_i8_1, &
      read_i8_2, &
      read_i8_3, &
      read_i8_4, &
      read_i8_5, &
      read_i8_6, &
      read_i8_7, &
      read_i8_8, &
      read_i16_0, &
      read_i16_1, &
      read_i16_2, &
      read_i16_3, &
      read_i16_4, &
      read_i16_5, &
      read_i16_6, &
      read_i16_7, &
      read_i16_8, &
      read_i32_0, &
      read_i32_1, &
      read_i32_2, &
      read_i32_3, &
      read_i32_4, &
      read_i32_5, &
      read_i32_6, &
      read_i32_7, &
      read_i32_8, &
      read_i64_0, &
      read_i64_1, &
      read_i64_2, &
      read_i64_3, &
      read_i64_4, &
      read_i64_5, &
      read_i64_6, &
      read_i64_7, &
      read_i64_8, &
      read_f32_0, &
      read_f32_1, &
      read_f32_2, &
      read_f32_3, &
      read_f32_4, &
      read_f32_5, &
      read_f32_6, &
      read_f32_7, &
      read_f32_8, &
      read_f64_0, &
      read_f64_1, &
      read_f64_2, &
      read_f64_3, &
      read_f64_4, &
      read_f64_5, &
      read_f64_6, &
      read_f64_7, &
      read_f64_8, &
      read_c64_0, &
      read_c64_1, &
      read_c64_2, &
      read_c64_3, &
      read_c64_4, &
      read_c64_5, &
      read_c64_6, &
      read_c64_7, &
      read_c64_8, &
      read_c128_0, &
      read_c128_1, &
      read_c128_2, &
      read_c128_3, &
      read_c128_4, &
      read_c128_5, &
      read_c128_6, &
      read_c128_7, &
      read_c128_8, &
      read_bool_0, &
      read_bool_1, &
      read_bool_2, &
      read_bool_3, &
      read_bool_4, &
      read_bool_5, &
      read_bool_6, &
      read_bool_7, &
      read_bool_8
  end interface
  !> call orr_item(x, v): the one element of x, cast to v's kind.
  interface orr_item
    procedure :: orr_item, &
      item_i8, &
      item_i16, &
      item_i32, &
      item_i64, &
      item_f32, &
      item_c64, &
      item_c128, &
      item_bool
  end interface
  interface operator(+)
    procedure :: add_tt, &
      add_tn_int32, &
      add_nt_int32, &
      add_tn_int64, &
      add_nt_int64, &
      add_tn_real32, &
      add_nt_real32, &
      add_tn_real64, &
      add_nt_real64, &
      add_tn_complex32, &
      add_nt_complex32, &
      add_tn_complex64, &
      add_nt_complex64
  end interface
  interface operator(-)
    procedure :: sub_tt, &
      sub_tn_int32, &
      sub_nt_int32, &
      sub_tn_int64, &
      sub_nt_int64, &
      sub_tn_real32, &
      sub_nt_real32, &
      sub_tn_real64, &
      sub_nt_real64, &
      sub_tn_complex32, &
      sub_nt_complex32, &
      sub_tn_complex64, &
      sub_nt_complex64, &
      tensor_negative
  end interface
  interface operator(*)
    procedure :: mul_tt, &
      mul_tn_int32, &
      mul_nt_int32, &
      mul_tn_int64, &
      mul_nt_int64, &
      mul_tn_real32, &
      mul_nt_real32, &
      mul_tn_real64, &
      mul_nt_real64, &
      mul_tn_complex32, &
      mul_nt_complex32, &
      mul_tn_complex64, &
      mul_nt_complex64
  end interface
  interface operator(/)
    procedure :: div_tt, &
      div_tn_int32, &
      div_nt_int32, &
      div_tn_int64, &
      div_nt_int64, &
      div_tn_real32, &
      div_nt_real32, &
      div_tn_real64, &
      div_nt_real64, &
      div_tn_complex32, &
      div_nt_complex32, &
      div_tn_complex64, &
      div_nt_complex64
  end interface
  interface operator(**)
    procedure :: pow_tt, &
      pow_tn_int32, &
      pow_nt_int32, &
      pow_tn_int64, &
      pow_nt_int64, &
      pow_tn_real32, &
      pow_nt_real32, &
      pow_tn_real64, &
      pow_nt_real64, &
      pow_tn_complex32, &
      pow_nt_complex32, &
      pow_tn_complex64, &
      pow_nt_complex64
  end interface
  interface operator(==)
    procedure :: equal_tt, &
      equal_tn_int32, &
      equal_nt_int32, &
      equal_tn_int64, &
      equal_nt_int64, &
      equal_tn_real32, &
      equal_nt_real32, &
      equal_tn_real64, &
      equal_nt_real64, &
      equal_tn_complex32, &
      equal_nt_complex32, &
      equal_tn_complex64, &
      equal_nt_complex64
  end interface
  interface operator(/=)
    procedure :: not_equal_tt, &
      not_equal_tn_int32, &
      not_equal_nt_int32, &
      not_equal_tn_int64, &
      not_equal_nt_int64, &
      not_equal_tn_real32, &
      not_equal_nt_real32, &
      not_equal_tn_real64, &
      not_equal_nt_real64, &
      not_equal_tn_complex32, &
      not_equal_nt_complex32, &
      not_equal_tn_complex64, &
      not_equal_nt_complex64
  end interface
  interface operator(<)
    procedure :: less_tt, &
      less_tn_int32, &
      less_nt_int32, &
      less_tn_int64, &
      less_nt_int64, &
      less_tn_real32, &
      less_nt_real32, &
      less_tn_real64, &
      less_nt_real64, &
      less_tn_complex32, &
      less_nt_complex32, &
      less_tn_complex64, &
      less_nt_complex64
  end interface
  interface operator(<=)
    procedure :: less_equal_tt, &
      less_equal_tn_int32, &
      less_equal_nt_int32, &
      less_equal_tn_int64, &
      less_equal_nt_int64, &
      less_equal_tn_real32, &
      less_equal_nt_real32, &
      less_equal_tn_real64, &
      less_equal_nt_real64, &
      less_equal_tn_complex32, &
      less_equal_nt_complex32, &
      less_equal_tn_complex64, &
      less_equal_nt_complex64
  end interface
  interface operator(>)
    procedure :: greater_tt, &
      greater_tn_int32, &
      greater_nt_int32, &
      greater_tn_int64, &
      greater_nt_int64, &
      greater_tn_real32, &
      greater_nt_real32, &
      greater_tn_real64, &
      greater_nt_real64, &
      greater_tn_complex32, &
      greater_nt_complex32, &
      greater_tn_complex64, &
      greater_nt_complex64
  end interface
  interface operator(>=)
    procedure :: greater_equal_tt, &
      greater_equal_tn_int32, &
      greater_equal_nt_int32, &
      greater_equal_tn_int64, &
      greater_equal_nt_int64, &
      greater_equal_tn_real32, &
      greater_equal_nt_real32, &
      greater_equal_tn_real64, &
      greater_equal_nt_real64, &
      greater_equal_tn_complex32, &
      greater_equal_nt_complex32, &
      greater_equal_tn_complex64, &
      greater_equal_nt_complex64
  end interface
  interface operator(.and.)
    procedure :: logical_and_tt, &
      logical_and_tn_int32, &
      logical_and_nt_int32, &
      logical_and_tn_int64, &
      logical_and_nt_int64, &
      logical_and_tn_real32, &
      logical_and_nt_real32, &
      logical_and_tn_real64, &
      logical_and_nt_real64, &
      logical_and_tn_complex32, &
      logical_and_nt_complex32, &
      logical_and_tn_complex64, &
      logical_and_nt_complex64
  end interface
  interface operator(.or.)
    procedure :: logical_or_tt, &
      logical_or_tn_int32, &
      logical_or_nt_int32, &
      logical_or_tn_int64, &
      logical_or_nt_int64, &
      logical_or_tn_real32, &
      logical_or_nt_real32, &
      logical_or_tn_real64, &
      logical_or_nt_real64, &
      logical_or_tn_complex32, &
      logical_or_nt_complex32, &
      logical_or_tn_complex64, &
      logical_or_nt_complex64
  end interface
  interface abs
    procedure :: orr_abs
  end interface
  public :: abs
  interface acos
    procedure :: orr_acos
  end interface
  public :: acos
  interface acosh
    procedure :: orr_acosh
  end interface
  public :: acosh
  interface all
    procedure :: orr_all
  end interface
  public :: all
  interface any
    procedure :: orr_any
  end interface
  public :: any
  interface asin
    procedure :: orr_asin
  end interface
  public :: asin
  interface asinh
    procedure :: orr_asinh
  end interface
  public :: asinh
  interface atan
    procedure :: orr_atan
  end interface
  public :: atan
  interface atan2
    procedure :: orr_atan2
  end interface
  public :: atan2
  interface atanh
    procedure :: orr_atanh
  end interface
  public :: atanh
  interface cos
    procedure :: orr_cos
  end interface
  public :: cos
  interface cosh
    procedure :: orr_cosh
  end interface
  public :: cosh
  interface erf
    procedure :: orr_erf
  end interface
  public :: erf
  interface erfc
    procedure :: orr_erfc
  end interface
  public :: erfc
  interface exp
    procedure :: orr_exp
  end interface
  public :: exp
  interface floor
    procedure :: orr_floor
  end interface
  public :: floor
  interface hypot
    procedure :: orr_hypot
  end interface
  public :: hypot
  interface log
    procedure :: orr_log
  end interface
  public :: log
  interface log10
    procedure :: orr_log10
  end interface
  public :: log10
  interface matmul
    procedure :: orr_matmul
  end interface
  public :: matmul
  interface reshape
    procedure :: orr_reshape
  end interface
  public :: reshape
  interface sin
    procedure :: orr_sin
  end interface
  public :: sin
  interface sinh
    procedure :: orr_sinh
  end interface
  public :: sinh
  interface sqrt
    procedure :: orr_sqrt
  end interface
  public :: sqrt
  interface sum
    procedure :: orr_sum
  end interface
  public :: sum
  interface tan
    procedure :: orr_tan
  end interface
  public :: tan
  interface tanh
    procedure :: orr_tanh
  end interface
  public :: tanh
  interface transpose
    procedure :: orr_transpose
  end interface
  public :: transpose
  public :: orr_status_name
  public :: orr_error_message
  public :: orr_error_status
  public :: orr_error_clear
  public :: orr_error_print
  public :: orr_log_to
  public :: orr_dtype_size
  public :: orr_dtype_name
  public :: orr_shape_format
  public :: orr_scope_begin
  public :: orr_scope_end
  public :: orr_tensor_status
  public :: orr_tensor_shape
  public :: orr_tensor_dtype
  public :: orr_tensor_size
  public :: orr_zeros
  public :: orr_ones
  public :: orr_full
  public :: orr_full_number
  public :: orr_full_complex
  public :: orr_scalar
  public :: orr_scalar_complex
  public :: orr_arange
  public :: orr_arange_number
  public :: orr_linspace
  public :: orr_eye
  public :: orr_variable
  public :: orr_assign
  public :: orr_assign_all
  public :: orr_item
  public :: orr_item_number
  public :: orr_item_complex
  public :: orr_print
  public :: orr_add
  public :: orr_sub
  public :: orr_mul
  public :: orr_div
  public :: orr_floor_divide
  public :: orr_remainder
  public :: orr_pow
  public :: orr_fma
  public :: orr_neg
  public :: orr_positive
  public :: orr_abs
  public :: orr_sign
  public :: orr_square
  public :: orr_reciprocal
  public :: orr_sqrt
  public :: orr_rsqrt
  public :: orr_hypot
  public :: orr_ceil
  public :: orr_floor
  public :: orr_trunc
  public :: orr_round
  public :: orr_copysign
  public :: orr_nextafter
  public :: orr_signbit
  public :: orr_isfinite
  public :: orr_isinf
  public :: orr_isnan
  public :: orr_maximum
  public :: orr_minimum
  public :: orr_clip
  public :: orr_where
  public :: orr_equal
  public :: orr_not_equal
  public :: orr_less
  public :: orr_less_equal
  public :: orr_greater
  public :: orr_greater_equal
  public :: orr_logical_and
  public :: orr_logical_or
  public :: orr_logical_xor
  public :: orr_logical_not
  public :: orr_bitwise_and
  public :: orr_bitwise_or
  public :: orr_bitwise_xor
  public :: orr_bitwise_invert
  public :: orr_bitwise_left_shift
  public :: orr_bitwise_right_shift
  public :: orr_exp
  public :: orr_expm1
  public :: orr_log
  public :: orr_log1p
  public :: orr_log2
  public :: orr_log10
  public :: orr_logaddexp
  public :: orr_sin
  public :: orr_cos
  public :: orr_tan
  public :: orr_asin
  public :: orr_acos
  public :: orr_atan
  public :: orr_atan2
  public :: orr_sinh
  public :: orr_cosh
  public :: orr_tanh
  public :: orr_asinh
  public :: orr_acosh
  public :: orr_atanh
  public :: orr_erf
  public :: orr_erfc
  public :: orr_sigmoid
  public :: orr_softplus
  public :: orr_relu
  public :: orr_prelu
  public :: orr_elu_with
  public :: orr_silu
  public :: orr_mish
  public :: orr_gelu_tanh
  public :: orr_gelu
  public :: orr_hardswish
  public :: orr_complex
  public :: orr_real
  public :: orr_imag
  public :: orr_conj
  public :: orr_angle
  public :: orr_cast
  public :: orr_reshape
  public :: orr_permute
  public :: orr_transpose
  public :: orr_broadcast_to
  public :: orr_squeeze
  public :: orr_expand_dims
  public :: orr_slice
  public :: orr_slice_axis
  public :: orr_select
  public :: orr_sliding_window
  public :: orr_flip
  public :: orr_sum
  public :: orr_prod
  public :: orr_mean
  public :: orr_var
  public :: orr_std
  public :: orr_norm
  public :: orr_logsumexp
  public :: orr_min
  public :: orr_max
  public :: orr_any
  public :: orr_all
  public :: orr_argmax
  public :: orr_argmin
  public :: orr_cumulative_sum
  public :: orr_cumulative_prod
  public :: orr_sort
  public :: orr_argsort
  public :: orr_matmul
  public :: orr_cholesky
  public :: orr_solve_triangular
  public :: orr_solve_cholesky
  public :: orr_logdet
  public :: orr_take
  public :: orr_scatter_add
  public :: orr_one_hot
  public :: orr_tril
  public :: orr_triu
  public :: orr_concat
  public :: orr_stack
  public :: orr_pad
  public :: orr_elu
  public :: orr_leaky_relu
  public :: orr_softmax
  public :: orr_log_softmax
  public :: orr_cross_entropy
  public :: orr_mse
  public :: orr_zeros_like
  public :: orr_ones_like
  public :: orr_full_like
  public :: orr_clip_between
  public :: orr_meshgrid
  public :: orr_diag
  public :: orr_diagonal
  public :: orr_moveaxis
  public :: orr_swapaxes
  public :: orr_repeat
  public :: orr_repeat_each
  public :: orr_roll
  public :: orr_rot90
  public :: orr_tile
  public :: orr_split
  public :: orr_cut
  public :: orr_unstack
  public :: orr_broadcast_arrays
  public :: orr_take_along_axis
  public :: orr_gather_nd
  public :: orr_scatter
  public :: orr_scatter_nd
  public :: orr_mask_select
  public :: orr_argwhere
  public :: orr_nonzero
  public :: orr_count_nonzero
  public :: orr_searchsorted
  public :: orr_top_places
  public :: orr_topk
  public :: orr_unique_values
  public :: orr_unique_counts
  public :: orr_unique_inverse
  public :: orr_unique_all
  public :: orr_diff
  public :: orr_bincount
  public :: orr_histogram
  public :: orr_quantile
  public :: orr_median
  public :: orr_covariance
  public :: orr_correlation
  public :: orr_einsum
  public :: orr_tensordot
  public :: orr_vecdot
  public :: orr_outer
  public :: orr_kron
  public :: orr_isdtype
  public :: orr_result_type
  public :: orr_can_cast
  public :: orr_finfo
  public :: orr_iinfo
  public :: orr_solve
  public :: orr_inv
  public :: orr_lstsq
  public :: orr_pinv
  public :: orr_det
  public :: orr_slogdet
  public :: orr_lu
  public :: orr_qr
  public :: orr_svd
  public :: orr_svdvals
  public :: orr_eigh
  public :: orr_eigvalsh
  public :: orr_eig
  public :: orr_eigvals
  public :: orr_vector_norm
  public :: orr_matrix_norm
  public :: orr_cond
  public :: orr_matrix_rank
  public :: orr_trace
  public :: orr_matrix_power
  public :: orr_expm
  public :: orr_cross
  public :: orr_cg
  public :: orr_lobpcg
  public :: orr_fft
  public :: orr_ifft
  public :: orr_fftn
  public :: orr_ifftn
  public :: orr_rfft
  public :: orr_irfft
  public :: orr_rfftn
  public :: orr_irfftn
  public :: orr_hfft
  public :: orr_ihfft
  public :: orr_fftfreq
  public :: orr_rfftfreq
  public :: orr_fftshift
  public :: orr_ifftshift
  public :: orr_convolve
  public :: orr_correlate
  public :: orr_bartlett
  public :: orr_hann
  public :: orr_hamming
  public :: orr_blackman
  public :: orr_kaiser
  public :: orr_interp
  public :: orr_seed
  public :: orr_rand
  public :: orr_randn
  public :: orr_randint
  public :: orr_permutation
  public :: orr_bernoulli
  public :: orr_exponential
  public :: orr_gamma
  public :: orr_beta
  public :: orr_poisson
  public :: orr_binomial
  public :: orr_multinomial
  public :: orr_categorical
  public :: orr_choice
  public :: orr_choice_weighted
  public :: orr_multivariate_normal
  public :: orr_shuffle
  public :: orr_rand_keyed
  public :: orr_randn_keyed
  public :: orr_define_elementwise
  public :: orr_expression
  public :: orr_define_kernel
  public :: orr_apply
  public :: orr_op_find
  public :: orr_op_name
  public :: orr_op_arity
  public :: orr_shutdown
  public :: orr_pause
  public :: orr_resume
  public :: orr_version
  public :: orr_eval
  public :: orr_eval_brief
  public :: orr_eval_all
  public :: orr_check
  public :: orr_warmup
  public :: orr_eval_async
  public :: orr_wait
  public :: orr_read_async
  public :: orr_event_done
  public :: orr_cancel
  public :: orr_eval_for
  public :: orr_cancellable_begin
  public :: orr_cancellable_end
  public :: orr_progress_to
  public :: orr_par_map
  public :: orr_placeholder
  public :: orr_graph_build
  public :: orr_graph_submit
  public :: orr_graph_submit_into
  public :: orr_graph_free
  public :: orr_grad
  public :: orr_grad_or_zeros
  public :: orr_vjp
  public :: orr_detach
  public :: orr_explain
  public :: orr_explain_dot
  public :: orr_notes
  public :: orr_dump
  public :: orr_dump_print
  public :: orr_replay
  public :: orr_replay_steps
  public :: orr_dump_compare
  public :: orr_xray
  public :: orr_load
  public :: orr_save
  public :: orr_load_bytes
  public :: orr_map_npy
  public :: orr_npy_header
  public :: orr_load_npz
  public :: orr_save_npz
  public :: orr_save_npz_deflated
  public :: orr_npz_names
  public :: orr_load_safetensors
  public :: orr_map_safetensors
  public :: orr_safetensors_names
  public :: orr_save_safetensors
  public :: orr_load_csv
  public :: orr_save_csv
  public :: orr_load_hdf5
  public :: orr_hdf5_names
  public :: orr_save_hdf5
  public :: orr_load_idx
  public :: orr_load_image
  public :: orr_load_image_bytes
  public :: orr_save_image
  public :: orr_encode_image
  public :: orr_to_dlpack
  public :: orr_to_dlpack_unversioned
  public :: orr_from_dlpack
  public :: orr_from_dlpack_unversioned
  public :: orr_stats
  public :: orr_stats_reset
  public :: orr_stats_print
  public :: orr_metrics
  public :: orr_metrics_json
  public :: orr_engine_name
  public :: orr_device_kind_name
  public :: orr_measure_name
  public :: orr_measure_unit
  public :: orr_devices
  public :: orr_devices_json
  public :: orr_devices_save
  public :: orr_devices_load
  public :: orr_devices_watch
  public :: orr_prefetch
  public :: orr_copy_to
  public :: orr_evict
  public :: orr_is_on
  public :: orr_device_memory
  public :: orr_memory_owner_name
  public :: orr_memory_stats
  public :: orr_memory_peak_reset
  public :: orr_memory_trim
  public :: orr_info
  public :: orr_env_print
  public :: orr_thresholds_print
  public :: orr_cache_list
  public :: orr_cache_clear
  public :: orr_machine_list
  public :: orr_perfmodel_list
  public :: orr_perfmodel_clear
  public :: orr_machine_measure
  public :: orr_initialiser_apply
  public :: orr_activate
  public :: orr_dense
  public :: orr_dense_with
  public :: orr_activation_layer
  public :: orr_function
  public :: orr_sequential
  public :: orr_forward
  public :: orr_forward_all
  public :: orr_residual
  public :: orr_module_new
  public :: orr_module_add_parameter
  public :: orr_module_add_state
  public :: orr_module_add_part
  public :: orr_module_part
  public :: orr_module_train
  public :: orr_module_training
  public :: orr_module_fold
  public :: orr_module_parameters
  public :: orr_module_states
  public :: orr_module_variable
  public :: orr_module_size
  public :: orr_module_free
  public :: orr_module_save
  public :: orr_module_load
  public :: orr_optim_defaults
  public :: orr_optim_new
  public :: orr_optim_of_module
  public :: orr_optim_free
  public :: orr_optim_step
  public :: orr_optim_apply
  public :: orr_optim_accumulate
  public :: orr_optim_step_accumulated
  public :: orr_clip_grad_norm
  public :: orr_optim_set_lr
  public :: orr_optim_lr
  public :: orr_optim_steps
  public :: orr_optim_state
  public :: orr_optim_save
  public :: orr_optim_load
  public :: orr_checkpoint_new
  public :: orr_checkpoint_free
  public :: orr_checkpoint_add_variable
  public :: orr_checkpoint_add_module
  public :: orr_checkpoint_add_optim
  public :: orr_checkpoint_add_bytes
  public :: orr_checkpoint_save
  public :: orr_checkpoint_load
  public :: orr_checkpoint_generation
  public :: orr_checkpoint_catch
  public :: orr_checkpoint_stopping
  public :: orr_checkpoint_due
  public :: orr_conv
  public :: orr_conv_transpose
  public :: orr_conv_weights
  public :: orr_max_pool
  public :: orr_max_pool_indices
  public :: orr_max_unpool
  public :: orr_average_pool
  public :: orr_lp_pool
  public :: orr_resize
  public :: orr_conv_layer
  public :: orr_conv_transpose_layer
  public :: orr_max_pool_layer
  public :: orr_average_pool_layer
  public :: orr_lp_pool_layer
  public :: orr_max_unpool_layer
  public :: orr_resize_layer
  public :: orr_flatten_layer
  public :: orr_nll_loss
  public :: orr_cross_entropy_with
  public :: orr_binary_cross_entropy_with_logits
  public :: orr_mse_loss
  public :: orr_l1_loss
  public :: orr_huber_loss
  public :: orr_kl_loss
  public :: orr_cosine_similarity
  public :: orr_cosine_loss
  public :: orr_hinge_loss
  public :: orr_hinge_embedding_loss
  public :: orr_ctc_loss
  public :: orr_layer_norm
  public :: orr_rms_norm
  public :: orr_group_norm
  public :: orr_instance_norm
  public :: orr_batch_norm
  public :: orr_batch_norm_training
  public :: orr_local_response_norm
  public :: orr_dropout
  public :: orr_embedding
  public :: orr_sinusoidal_positions
  public :: orr_rotary
  public :: orr_alibi
  public :: orr_attention
  public :: orr_layer_norm_layer
  public :: orr_rms_norm_layer
  public :: orr_group_norm_layer
  public :: orr_instance_norm_layer
  public :: orr_local_response_norm_layer
  public :: orr_batch_norm_layer
  public :: orr_dropout_layer
  public :: orr_embedding_layer
  public :: orr_sinusoidal_layer
  public :: orr_multi_head_attention
  public :: orr_encoder_block
  public :: orr_decoder_block
  public :: orr_kv_cache_new
  public :: orr_forward_cached
  public :: orr_kv_cache_length
  public :: orr_kv_cache_clear
  public :: orr_kv_cache_free
  public :: orr_scan
  public :: orr_recurrent
  public :: orr_recurrent_forward
  public :: orr_schedule_lr
  public :: orr_plateau_lr
  public :: orr_early_stop_update
  public :: orr_autocast
  public :: orr_optim_step_scaled
  public :: orr_recompute
  public :: orr_average_new
  public :: orr_average_update
  public :: orr_average_swap
  public :: orr_average_free
  public :: orr_rank
  public :: orr_ranks
  public :: orr_barrier
  public :: orr_grid_make
  public :: orr_grid_free
  public :: orr_grid_place
  public :: orr_shard
  public :: orr_shard_cyclic
  public :: orr_replicate
  public :: orr_redistribute
  public :: orr_distribution
  public :: orr_loader_new
  public :: orr_loader_of_folder
  public :: orr_loader_classes
  public :: orr_loader_class
  public :: orr_loader_arrays
  public :: orr_loader_next
  public :: orr_loader_batches
  public :: orr_loader_free
  public :: orr_plan_memory
  public :: orr_optimal_batch
  public :: orr_place
  public :: orr_data_parallel
  public :: orr_dp_rdp
  public :: orr_dp_orders
  public :: orr_dp_rdp_epsilon
  public :: orr_dp_epsilon
  public :: orr_dp_delta
  public :: orr_dp_find_noise
  public :: orr_dp_gaussian_delta
  public :: orr_dp_gaussian_epsilon
  public :: orr_dp_gaussian_sigma
  public :: orr_dp_budget_new
  public :: orr_dp_budget_spend
  public :: orr_dp_budget_spent
  public :: orr_dp_budget_left
  public :: orr_dp_budget_keep
  public :: orr_dp_budget_allow
  public :: orr_checkpoint_add_budget
  public :: orr_dp_budget_free
  public :: orr_dp_seed
  public :: orr_dp_unseed
  public :: orr_dp_poisson
  public :: orr_dp_laplace
  public :: orr_dp_gaussian
  public :: orr_dp_discrete_laplace
  public :: orr_dp_discrete_gaussian
  public :: orr_dp_randomised_response
  public :: orr_dp_response_estimate
  public :: orr_dp_exponential
  public :: orr_dp_sparse_new
  public :: orr_dp_sparse_ask
  public :: orr_dp_sparse_free
  public :: orr_dp_cross_entropy
  public :: orr_dp_squared_error
  public :: orr_dp_clipped_grads
  public :: orr_dp_clipped_grads_of_function
  public :: orr_dp_defaults
  public :: orr_dp_sgd_new
  public :: orr_dp_sgd_of_function
  public :: orr_dp_sgd_step
  public :: orr_dp_sgd_clip
  public :: orr_dp_sgd_steps
  public :: orr_checkpoint_add_dp_sgd
  public :: orr_dp_sgd_free
  public :: orr_bytes_free
  public :: orr_fixed_limit
  public :: orr_fixed_encode
  public :: orr_fixed_decode
  public :: orr_additive_split
  public :: orr_additive_join
  public :: orr_shamir_split
  public :: orr_secagg_client_free
  public :: orr_secagg_advertise
  public :: orr_secagg_share_keys
  public :: orr_secagg_mask
  public :: orr_secagg_confirm
  public :: orr_secagg_unmask
  public :: orr_secagg_server_new
  public :: orr_secagg_server_free
  public :: orr_secagg_receive
  public :: orr_secagg_close
  public :: orr_secagg_send
  public :: orr_secagg_alive
  public :: orr_secagg_result
  public :: orr_paillier_generate
  public :: orr_paillier_public
  public :: orr_paillier_free
  public :: orr_paillier_bits
  public :: orr_paillier_has_private
  public :: orr_paillier_id
  public :: orr_paillier_save
  public :: orr_paillier_load
  public :: orr_paillier_prepare
  public :: orr_paillier_encrypt
  public :: orr_paillier_decrypt
  public :: orr_paillier_add
  public :: orr_paillier_add_plain
  public :: orr_paillier_mul_plain
  public :: orr_paillier_sum
  public :: orr_paillier_dot
  public :: orr_paillier_rerandomize
  public :: orr_encrypted_free
  public :: orr_encrypted_shape
  public :: orr_encrypted_slots
  public :: orr_encrypted_save
  public :: orr_encrypted_load
  public :: orr_field_parse
  public :: orr_field_text
  public :: orr_field_from_limbs
  public :: orr_field_limbs
  public :: orr_field_inverse
  public :: orr_field_pow
  public :: orr_field_sum
  public :: orr_field_dot
  public :: orr_field_ntt
  public :: orr_field_ntt_inverse
  public :: orr_field_poly_eval
  public :: orr_field_poly_divide
  public :: orr_poseidon
  public :: orr_merkle_tree
  public :: orr_merkle_root
  public :: orr_merkle_proof
  public :: orr_merkle_verify
  public :: orr_curve_generator
  public :: orr_curve_add
  public :: orr_curve_neg
  public :: orr_curve_double
  public :: orr_curve_multiply
  public :: orr_curve_contains
  public :: orr_curve_in_group
  public :: orr_curve_compress
  public :: orr_curve_decompress
  public :: orr_curve_msm
  public :: orr_curve_pairing_check

contains

  !> Name of a status, e.g. "ORR_ESHAPE". Never NULL. Thread-safe.
  function orr_status_name(s) result(r_)
    integer, intent(in), optional :: s
    character(:), allocatable :: r_
    r_ = f_string(c_status_name(f_enum(s)))
  end function

  !> Returns the calling thread's last error as one line, `file:line: op: message`; "" without an error. Valid until
  !> the thread's next failing call.
  function orr_error_message() result(r_)
    character(:), allocatable :: r_
    r_ = f_string(c_error_message())
  end function

  !> Returns the status of the calling thread's last error; ORR_OK without an error.
  function orr_error_status() result(r_)
    integer :: r_
    r_ = c_error_status()
  end function

  !> Clears the calling thread's last error.
  subroutine orr_error_clear()
    call c_error_clear()
  end subroutine

  !> Prints the last error and a newline to `to`. Returns 1, so that `return orr_error_print(stderr);` ends main.
  function orr_error_print(to) result(r_)
    type(c_ptr), intent(in), optional :: to
    integer(c_int) :: r_
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    r_ = c_error_print(p_to)
    if (.not. present(to)) call f_output(p_to, text_)
  end function

  !> Directs the lines that ORRERY_LOG admits to `fn`, with `user`. NULL: to stderr, as "orrery: level: text", which is the default. When it
  !> returns, the former function is not called any more, unless a call of it has called this. Errors: none. Thread-safe, also before orr_init
  !> and after orr_shutdown; a child of fork has the function of its parent.
  subroutine orr_log_to(fn, user)
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    type(c_ptr) :: p_user
    p_user = c_null_ptr
    if (present(user)) p_user = user
    call c_log_to(fn, p_user)
  end subroutine

  !> Bytes of one element; 0 for any number that is no dtype.
  function orr_dtype_size(t) result(r_)
    integer, intent(in) :: t
    integer(c_size_t) :: r_
    r_ = c_dtype_size(int(t, c_int))
  end function

  !> Name as in the Python array API standard: "float32", "bool", "bfloat16" …; "?" for any number that is no dtype.
  function orr_dtype_name(t) result(r_)
    integer, intent(in) :: t
    character(:), allocatable :: r_
    r_ = f_string(c_dtype_name(int(t, c_int)))
  end function

  !> Writes "(2, 3)" into `buf` and returns it. `size` ≥ 2; longer text is cut.
  function orr_shape_format(s, buf, size) result(r_)
    class(*), intent(in) :: s(:)
    type(c_ptr), intent(in) :: buf
    class(*), intent(in) :: size
    type(c_ptr) :: r_
    r_ = c_shape_format(f_shape(s), buf, int(f_int(size), c_size_t))
  end function

  !> Opens a scope on the calling thread, which owns the tensors made from now on. Scopes nest. Tensors made outside
  !> every scope live until orr_free or orr_shutdown.
  !> @return   NULL on ORR_ENOMEM.
  function orr_scope_begin() result(r_)
    type(orr_scope) :: r_
    r_%p = c_scope_begin()
  end function

  !> Closes `s`, and open scopes inside it, and frees the tensors that it owns.
  !> errors:   ORR_EINVAL (`s` is not an open scope of the calling thread).
  subroutine orr_scope_end(s, stat, errmsg)
    type(orr_scope), intent(in) :: s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_scope_end(f_file(), place_line, s%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns ORR_OK, the error of a poison, or ORR_EHANDLE for any other pointer. Leaves the last error as it is.
  function orr_tensor_status(t) result(r_)
    type(orr_tensor), intent(in) :: t
    integer :: r_
    r_ = c_tensor_status(f_of(t))
    call f_drop(t)
  end function

  !> Returns the shape; rank −1 for poison and any other pointer.
  function orr_tensor_shape(t) result(r_)
    type(orr_tensor), intent(in) :: t
    integer(c_int64_t), allocatable :: r_(:)
    type(orr_shape) :: s_r
    call c_tensor_shape(s_r, f_of(t))
    r_ = s_r%dim(1:max(0, s_r%rank))
    call f_drop(t)
  end function

  !> Returns the element type; ORR_DTYPE_COUNT for poison and any other pointer.
  function orr_tensor_dtype(t) result(r_)
    type(orr_tensor), intent(in) :: t
    integer(c_int) :: r_
    r_ = c_tensor_dtype(f_of(t))
    call f_drop(t)
  end function

  !> Returns the number of elements; −1 for poison and any other pointer.
  function orr_tensor_size(t) result(r_)
    type(orr_tensor), intent(in) :: t
    integer(c_int64_t) :: r_
    r_ = c_tensor_size(f_of(t))
    call f_drop(t)
  end function

  !> Zeros. Errors of this and the next functions: ORR_ESHAPE, ORR_EDTYPE.
  function orr_zeros(dtype, shape, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_zeros(f_file(), place_line, int(dtype, c_int), f_shape(shape)), stat, errmsg)
  end function

  !> Ones.
  function orr_ones(dtype, shape, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ones(f_file(), place_line, int(dtype, c_int), f_shape(shape)), stat, errmsg)
  end function

  !> Elements that are all `value`, converted; ORR_EDTYPE where an integer dtype does not hold it.
  function orr_full(dtype, shape, value, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_full(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(value)), stat, errmsg)
  end function

  !> Elements that are all `value`, as orr_full, for integers that no double holds: orr_full_number(ORR_U64,
  !> ORR_SHAPE(2), ORR_UNSIGNED(UINT64_MAX)). With ORR_SHAPE_0D the result is a number for operations; orr_scalar takes
  !> only doubles.
  function orr_full_number(dtype, shape, value, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_full_number(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_number(value)), stat, errmsg)
  end function

  !> Elements that are all re + i·im, of a complex dtype; ORR_EDTYPE for others. With ORR_SHAPE_0D the result is a complex
  !> number for operations.
  function orr_full_complex(dtype, shape, re, im, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: re
    class(*), intent(in) :: im
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_full_complex(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(re), f_real(im)), stat, &
        errmsg)
  end function

  !> A 0-d constant without a dtype of its own: an operation gives it the dtype of the other operand, or ORR_EDTYPE if
  !> that is an integer dtype that does not hold the value. By itself it is f64.
  function orr_scalar(value, stat, errmsg) result(r_)
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_scalar(f_file(), place_line, f_real(value)), stat, errmsg)
  end function

  !> The complex number re + i·im as a 0-d constant without a dtype of its own: an operation gives it the dtype of a complex
  !> operand; beside a float it has the complex dtype of that width (c64 for f16, bf16 and f32, c128 for f64), and the result
  !> is complex; beside integers and bool it is c128. By itself it is c128, as are the results of operations on numbers
  !> alone. errors, in operations that take no complex numbers: ORR_EDTYPE.
  function orr_scalar_complex(re, im, stat, errmsg) result(r_)
    class(*), intent(in) :: re
    class(*), intent(in) :: im
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_scalar_complex(f_file(), place_line, f_real(re), f_real(im)), stat, errmsg)
  end function

  !> start, start+step, … below stop, or above it for step < 0; ⌈(stop−start)/step⌉ elements.
  !> errors:   ORR_EINVAL (step 0, NaN), ORR_EDTYPE (bool; an integer dtype that does not hold all of them).
  function orr_arange(dtype, start, stop, step, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: start
    class(*), intent(in) :: stop
    class(*), intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_arange(f_file(), place_line, int(dtype, c_int), f_real(start), f_real(stop), f_real(step)), stat, &
        errmsg)
  end function

  !> As orr_arange; for three integers and an integer dtype each element and the length are exact.
  function orr_arange_number(dtype, start, stop, step, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: start
    class(*), intent(in) :: stop
    class(*), intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_arange_number(f_file(), place_line, int(dtype, c_int), f_number(start), f_number(stop), &
        f_number(step)), stat, errmsg)
  end function

  !> n points from start to stop, both included: start + i·(stop−start)/(n−1). Float dtypes.
  function orr_linspace(dtype, start, stop, n, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: start
    class(*), intent(in) :: stop
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_linspace(f_file(), place_line, int(dtype, c_int), f_real(start), f_real(stop), f_int(n)), stat, &
        errmsg)
  end function

  !> Ones where column − row = k, zeros elsewhere.
  function orr_eye(dtype, rows, cols, k, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: rows
    class(*), intent(in) :: cols
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_eye(f_file(), place_line, int(dtype, c_int), f_int(rows), f_int(cols), f_int(k)), stat, errmsg)
  end function

  !> A variable whose first value is that of `t`. It is used like a tensor; an operation uses its value at the time of
  !> recording. Owned by the current scope; orr_keep it to hold it longer.
  function orr_variable(t, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_variable(f_file(), place_line, f_of(t)), stat, errmsg)
    call f_drop(t)
  end function

  !> Replaces the value of the variable `v` by that of `t`, which has the same shape and dtype.
  !> Lazy: this thread's next evaluation, of any tensor, computes the new value; orr_eval_all(NULL, 0) waits for it. Operations
  !> recorded before the call use the old value, and pointers from orr_data keep it. A large new value is computed in the
  !> memory of the old one if no reader of that is left (donation, docs/tuning.md). If memory or a device fails during that
  !> computation, reading `v` gives ORR_ESTATE until the next assignment.
  !> A loop that assigns and does not evaluate is submitted in parts, each of some thousand operations: before a round of
  !> assignments, the values of the round before are computed as by orr_eval_async. With two parts under way the call waits,
  !> so that the memory of such a loop is bounded. Values, random numbers, gradients and errors are those of a program
  !> without these submissions (docs/planning.md, "Loops without an evaluation").
  !> errors:   ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (`v` is no variable).
  !> threads:  a reader in another thread sees the value before or after the assignment.
  subroutine orr_assign(v, t, stat, errmsg)
    type(orr_tensor), intent(in) :: v
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_assign(f_file(), place_line, f_of(v), f_of(t))
    call f_drop(v)
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_assign(v[i], t[i]) for i = 0 … n − 1, all or none: on an error, also ORR_ENOMEM, no variable has changed. Each
  !> t[i] is the value before the call: {a, b} = {b, a} exchanges two variables. A variable that occurs twice gets the
  !> last value.
  !> errors:   as orr_assign; ORR_EINVAL (n is negative, a list is NULL).
  subroutine orr_assign_all(v, t, stat, errmsg)
    type(orr_tensor), intent(in) :: v(:)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_v(max(1, ubound(v, 1)))
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    call f_all(v, p_v)
    call f_all(t, p_t)
    status_ = c_assign_all(f_file(), place_line, c_loc(p_v), c_loc(p_t), int(f_length(ubound(v, 1), ubound(t, 1)), c_int))
    call f_drop_all(v)
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *value to the one element of `t`, of any rank and size 1, as a double. Evaluates `t`.
  !> errors:   those of orr_eval; ORR_ESHAPE (more or fewer elements than one), ORR_EDTYPE (an integer beyond 2⁵³ that
  !>           no double holds; orr_item_number returns it; a complex one: orr_item_complex).
  subroutine orr_item(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    real(c_double), intent(inout), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_item(f_file(), place_line, f_of(t), c_loc(value))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *value to the one element of `t` exactly: floats as ORR_F64, bool and signed integers as ORR_I64, unsigned
  !> ones as ORR_U64. Otherwise as orr_item.
  subroutine orr_item_number(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    type(orr_number), intent(inout), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_item_number(f_file(), place_line, f_of(t), c_loc(value))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *re and *im to the parts of the one element of `t`; *im is 0 for a real dtype. Otherwise as orr_item.
  !> errors:   those of orr_item; ORR_EINVAL (re or im is NULL).
  subroutine orr_item_complex(t, re, im, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    real(c_double), intent(inout), target :: re
    real(c_double), intent(inout), target :: im
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_item_complex(f_file(), place_line, f_of(t), c_loc(re), c_loc(im))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Prints dtype, shape and elements to `to`, NumPy-like, with long axes abbreviated. Evaluates `t`.
  !> errors:   those of orr_eval, ORR_EIO.
  subroutine orr_print(to, t, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_print(f_file(), place_line, p_to, f_of(t))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> x + y; integers wrap.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = g; dy = g
  !> cost:     1 flop an element
  function orr_add(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_add(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x − y; integers wrap.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = g; dy = -g
  !> cost:     1 flop an element
  function orr_sub(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sub(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x · y; integers wrap.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = g*y; dy = g*x
  !> cost:     1 flop an element
  function orr_mul(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mul(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x / y.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/y; dy = -g*r/y
  !> cost:     4 flop an element
  function orr_div(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_div(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> ⌊x / y⌋ as Python's //, so that x = y·⌊x / y⌋ + remainder: NaN for infinite x, −1 for a finite x ≠ 0 and an infinite y of the other sign; by zero floats give x / y, integers 0.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     100 flop an element
  function orr_floor_divide(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_floor_divide(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x − y·⌊x / y⌋ as Python's %: the sign of y; an integer remainder by zero is 0.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     dx = g; dy = -g*floor_divide(x,y)
  !> cost:     90 flop an element
  function orr_remainder(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_remainder(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x to the power y; integers wrap; a negative exponent of integers is ORR_EINVAL if it is a constant, and as an element gives the true value cut to an integer.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = where(y==0, 0, g*y*pow(x, y-1)); dy = where(x==0, 0, g*r*log(x))
  !> cost:     150 flop an element
  function orr_pow(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_pow(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x · y + z, rounded once.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*y; dy = g*x; dz = g
  !> cost:     2 flop an element
  function orr_fma(x, y, z, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: z
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_fma(f_file(), place_line, f_of(x), f_of(y), f_of(z)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
    call f_drop(z)
  end function

  !> −x; integers wrap.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = -g
  !> cost:     1 flop an element
  function orr_neg(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_neg(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = g
  !> cost:     1 flop an element
  function orr_positive(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_positive(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> |x|; the lowest signed integer stays itself.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
  !> grad:     dx = g*sign(x)
  !> cost:     1 flop an element
  function orr_abs(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_abs(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> −1, 0 or 1; NaN for NaN; x / |x| of complex numbers.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     2 flop an element
  function orr_sign(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sign(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x · x; integers wrap.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
  !> grad:     dx = 2*g*x
  !> cost:     1 flop an element
  function orr_square(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_square(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> 1 / x.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = -g*r*r
  !> cost:     4 flop an element
  function orr_reciprocal(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_reciprocal(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> √x; NaN below 0.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = 0.5*g/r
  !> cost:     8 flop an element
  function orr_sqrt(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sqrt(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> 1 / √x.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = -0.5*g*r/x
  !> cost:     16 flop an element
  function orr_rsqrt(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rsqrt(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> √(x² + y²) without overflow between.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*x/r; dy = g*y/r
  !> cost:     40 flop an element
  function orr_hypot(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hypot(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> ⌈x⌉.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_ceil(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ceil(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> ⌊x⌋.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_floor(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_floor(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x without its fraction.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_trunc(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_trunc(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> the nearest integer, halves to even.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_round(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_round(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> |x| with the sign of y.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*sign(x)*copysign(1, y); dy = 0
  !> cost:     2 flop an element
  function orr_copysign(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_copysign(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> the next number after x on the way to y.
  !> dtypes:   f32 f64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     180 flop an element
  function orr_nextafter(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_nextafter(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> is the sign bit of x set (−0 and −NaN too).
  !> dtypes:   f16 bf16 f32 f64, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_signbit(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_signbit(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> is x neither NaN nor infinite.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_isfinite(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_isfinite(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> is x +∞ or −∞.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_isinf(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_isinf(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> is x NaN.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_isnan(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_isnan(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> the larger one, x when they are equal (zeros of either sign are); NaN if either is.
  !> dtypes:   all, promoted.
  !> grad:     dx = where(x>y, g, where(x==y, 0.5*g, 0)); dy = where(y>x, g, where(x==y, 0.5*g, 0))
  !> cost:     2 flop an element
  function orr_maximum(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_maximum(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> the smaller one, x when they are equal (zeros of either sign are); NaN if either is.
  !> dtypes:   all, promoted.
  !> grad:     dx = where(x<y, g, where(x==y, 0.5*g, 0)); dy = where(y<x, g, where(x==y, 0.5*g, 0))
  !> cost:     2 flop an element
  function orr_minimum(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_minimum(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> minimum(maximum(x, y), z): x kept between y and z; NaN if any is.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(logical_and(x>=y, x<=z), g, 0); dy = where(logical_and(y>x, y<=z), g, 0); dz = where(maximum(x, y)>z, g, 0)
  !> cost:     4 flop an element
  function orr_clip(x, y, z, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: z
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_clip(f_file(), place_line, f_of(x), f_of(y), f_of(z)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
    call f_drop(z)
  end function

  !> y where x is true, else z.
  !> dtypes:   all for y and z, promoted; x is bool.
  !> grad:     dx = 0; dy = where(x, g, 0); dz = where(x, 0, g)
  !> cost:     1 flop an element
  function orr_where(x, y, z, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: z
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_where(f_file(), place_line, f_of(x), f_of(y), f_of(z)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
    call f_drop(z)
  end function

  !> x = y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_equal(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_equal(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x ≠ y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_not_equal(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_not_equal(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x < y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_less(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_less(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x ≤ y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_less_equal(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_less_equal(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x > y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_greater(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_greater(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x ≥ y.
  !> dtypes:   all, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_greater_equal(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_greater_equal(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x and y.
  !> dtypes:   bool, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_logical_and(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_and(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x or y.
  !> dtypes:   bool, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_logical_or(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_or(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> either x or y.
  !> dtypes:   bool, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_logical_xor(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_xor(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> not x.
  !> dtypes:   bool, promoted; the result is bool.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_logical_not(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_not(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> bits that are set in both.
  !> dtypes:   bool i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_bitwise_and(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_and(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> bits that are set in either.
  !> dtypes:   bool i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_bitwise_or(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_or(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> bits that differ.
  !> dtypes:   bool i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_bitwise_xor(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_xor(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> all bits turned over.
  !> dtypes:   bool i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_bitwise_invert(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_invert(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x · 2^y; 0 when y is negative or not below the width.
  !> dtypes:   i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     2 flop an element
  function orr_bitwise_left_shift(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_left_shift(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> ⌊x / 2^y⌋; 0 (−1 for a negative x) when y is negative or not below the width.
  !> dtypes:   i8…i64 u8…u64, promoted.
  !> grad:     none: no gradient flows through it
  !> cost:     2 flop an element
  function orr_bitwise_right_shift(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bitwise_right_shift(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> e^x.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*r
  !> cost:     20 flop an element
  function orr_exp(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_exp(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> e^x − 1, precise near 0.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*exp(x)
  !> cost:     24 flop an element
  function orr_expm1(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_expm1(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> natural logarithm; NaN below 0.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/x
  !> cost:     32 flop an element
  function orr_log(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_log(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> log(1 + x), precise near 0.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/(1+x)
  !> cost:     38 flop an element
  function orr_log1p(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_log1p(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> logarithm to base 2.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/(x*0.6931471805599453)
  !> cost:     32 flop an element
  function orr_log2(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_log2(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> logarithm to base 10.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/(x*2.302585092994046)
  !> cost:     32 flop an element
  function orr_log10(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_log10(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> log(e^x + e^y); the error is relative to max(|x|, |y|) where the result is near 0.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*sigmoid(x-y); dy = g*sigmoid(y-x)
  !> cost:     66 flop an element
  function orr_logaddexp(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logaddexp(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> sine of x radians.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*cos(x)
  !> cost:     28 flop an element
  function orr_sin(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sin(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> cosine of x radians.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = -g*sin(x)
  !> cost:     28 flop an element
  function orr_cos(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cos(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> tangent of x radians.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*(1+r*r)
  !> cost:     90 flop an element
  function orr_tan(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_tan(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> arc sine, −π/2 to π/2; NaN outside −1 to 1.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/sqrt((1-x)*(1+x))
  !> cost:     60 flop an element
  function orr_asin(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_asin(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> arc cosine, 0 to π; NaN outside −1 to 1.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = -g/sqrt((1-x)*(1+x))
  !> cost:     60 flop an element
  function orr_acos(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_acos(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> arc tangent, −π/2 to π/2.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/(1+x*x)
  !> cost:     60 flop an element
  function orr_atan(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_atan(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> angle of the point (y, x), −π to π: the arc tangent of x / y in its quadrant.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(hypot(x,y)==0, 0, g*(y/hypot(x,y))/hypot(x,y)); dy = where(hypot(x,y)==0, 0, -g*(x/hypot(x,y))/hypot(x,y))
  !> cost:     90 flop an element
  function orr_atan2(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_atan2(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> hyperbolic sine.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*cosh(x)
  !> cost:     60 flop an element
  function orr_sinh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sinh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> hyperbolic cosine.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*sinh(x)
  !> cost:     60 flop an element
  function orr_cosh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cosh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> hyperbolic tangent.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g*(1-r)*(1+r)
  !> cost:     24 flop an element
  function orr_tanh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_tanh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> inverse hyperbolic sine.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/hypot(x, 1)
  !> cost:     120 flop an element
  function orr_asinh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_asinh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> inverse hyperbolic cosine; NaN below 1.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/(sqrt(x-1)*sqrt(x+1))
  !> cost:     100 flop an element
  function orr_acosh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_acosh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> inverse hyperbolic tangent; NaN outside −1 to 1.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g/((1-x)*(1+x))
  !> cost:     90 flop an element
  function orr_atanh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_atanh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> error function, 2/√π ∫₀ˣ e^−t² dt.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*1.1283791670955126*exp(-x*x)
  !> cost:     26 flop an element
  function orr_erf(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_erf(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> 1 − erf(x), precise for large x.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = -g*1.1283791670955126*exp(-x*x)
  !> cost:     54 flop an element
  function orr_erfc(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_erfc(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> 1 / (1 + e^−x).
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*r*sigmoid(-x)
  !> cost:     24 flop an element
  function orr_sigmoid(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sigmoid(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> log(1 + e^x).
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*sigmoid(x)
  !> cost:     66 flop an element
  function orr_softplus(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_softplus(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> max(x, 0); NaN for NaN.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(r>0, g, 0)
  !> cost:     1 flop an element
  function orr_relu(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_relu(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x for x ≥ 0, else y · x; a slope for each element, broadcast.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(x>=0, g, g*y); dy = where(x>=0, 0, g*x)
  !> cost:     2 flop an element
  function orr_prelu(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_prelu(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x for x > 0, else y · (e^x − 1); a scale for each element, broadcast.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(x>0, g, g*y*exp(x)); dy = where(x>0, 0, g*expm1(x))
  !> cost:     26 flop an element
  function orr_elu_with(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_elu_with(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x · sigmoid(x); −0 at −∞, its limit.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*sigmoid(x)*(1+x*sigmoid(-x))
  !> cost:     24 flop an element
  function orr_silu(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_silu(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x · tanh(softplus(x)); −0 at −∞, its limit.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*(tanh(softplus(x)) + x*sigmoid(x)*(1-tanh(softplus(x)))*(1+tanh(softplus(x))))
  !> cost:     42 flop an element
  function orr_mish(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mish(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> ½x · (1 + tanh(√(2/π)·(x + 0.044715x³))); −0 at −∞, its limit.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*sigmoid(clip(x,-30,30)*(1.5957691216057308+0.07135481627260025*clip(x,-30,30)*clip(x,-30,30)))*(1+clip(x,-30,30)*(1.5957691216057308+0.21406444881780075*clip(x,-30,30)*clip(x,-30,30))*sigmoid(-clip(x,-30,30)*(1.5957691216057308+0.07135481627260025*clip(x,-30,30)*clip(x,-30,30))))
  !> cost:     60 flop an element
  function orr_gelu_tanh(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_gelu_tanh(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> ½x · (1 + erf(x/√2)); −0 at −∞, its limit.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = g*(0.5*erfc(-0.7071067811865476*x) + 0.3989422804014327*x*exp(-0.5*x*x))
  !> cost:     70 flop an element
  function orr_gelu(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_gelu(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x · clip(x + 3, 0, 6) / 6.
  !> dtypes:   f16 bf16 f32 f64, promoted.
  !> grad:     dx = where(x<=-3, 0, where(x>=3, g, g*(2*x+3)/6))
  !> cost:     4 flop an element
  function orr_hardswish(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hardswish(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x + i·y; complex64 of f32, complex128 of f64.
  !> dtypes:   f32 f64, promoted; the result is complex.
  !> grad:     dx = real(g); dy = -imag(g)
  !> cost:     1 flop an element
  function orr_complex(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_complex(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> the real part.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
  !> grad:     dx = g
  !> cost:     1 flop an element
  function orr_real(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_real(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> the imaginary part; 0 for other numbers.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
  !> grad:     none: no gradient flows through it
  !> cost:     1 flop an element
  function orr_imag(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_imag(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> the complex conjugate; x for other numbers.
  !> dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
  !> grad:     dx = g
  !> cost:     1 flop an element
  function orr_conj(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_conj(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> the angle of x to the positive real axis, −π to π.
  !> dtypes:   f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
  !> grad:     none: no gradient flows through it
  !> cost:     40 flop an element
  function orr_angle(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_angle(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> y[i] = x[i] as `dtype`. Float to integer truncates and saturates, NaN gives 0; integers wrap; anything to bool is x ≠ 0; to a float
  !> rounds to nearest, ties to even. A real number becomes complex with the imaginary part 0; a complex one cannot be cast to real:
  !> ORR_EDTYPE (write orr_real, orr_imag or orr_abs). Integers and bool become elements of a field, of which −1 is the largest. An element
  !> becomes its unsigned integer, or the congruent signed one nearest to 0; evaluation refuses an element that the dtype does not hold
  !> (ORR_EINDEX, with its place). Elements and floats, or elements of two fields: ORR_EDTYPE.
  !> dtypes: all. Errors: ORR_EDTYPE (no dtype).      grad: g cast back (zero through integers).      cost: 1 per element.
  function orr_cast(x, dtype, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(in) :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cast(f_file(), place_line, f_of(x), int(dtype, c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> x's elements, in row-major order, as `shape`. One dimension may be -1: it follows from the others.
  !> dtypes: all. Errors: ORR_ESHAPE (another number of elements; -1 twice or not determined).
  !> grad: g in x's shape.                                                                            cost: a view.
  function orr_reshape(x, shape, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_reshape(f_file(), place_line, f_of(x), f_shape(shape)), stat, errmsg)
    call f_drop(x)
  end function

  !> Axis k of the result is axis axes[k] of x. ORR_ALL_AXES: all axes in reverse order.
  !> dtypes: all. Errors: ORR_EAXIS (not each axis exactly once).     grad: the inverse.              cost: a view.
  function orr_permute(x, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_permute(f_file(), place_line, f_of(x), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> The last two axes exchanged. dtypes: all. Errors: ORR_ESHAPE (rank < 2).     grad: gᵀ.           cost: a view.
  function orr_transpose(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_transpose(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x repeated along its axes of length 1, and along new leading ones, to `shape`.
  !> dtypes: all. Errors: ORR_ESHAPE.     grad: g summed over the repeated axes.                      cost: a view.
  function orr_broadcast_to(x, shape, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_broadcast_to(f_file(), place_line, f_of(x), f_shape(shape)), stat, errmsg)
    call f_drop(x)
  end function

  !> x without the axes named, which must have length 1. ORR_ALL_AXES: every axis of length 1.
  !> dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE.     grad: g in x's shape.                            cost: a view.
  function orr_squeeze(x, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_squeeze(f_file(), place_line, f_of(x), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> x with a new axis of length 1 at place `axis` of the result, -(rank+1) ≤ axis ≤ rank.
  !> dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE (rank 8 already).     grad: g in x's shape.           cost: a view.
  function orr_expand_dims(x, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_expand_dims(f_file(), place_line, f_of(x), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> NumPy's x[start₀:stop₀:step₀, start₁:stop₁:step₁, …]: the lists describe the first axes, the other axes stay.
  !> Negative numbers count from the end, ranges are cut to the axis, ORR_END means "left out", and a negative step goes
  !> backwards. Example: x[::-1, 2:] is orr_slice(x, ORR_INDEX(ORR_END, 2), ORR_INDEX(ORR_END, ORR_END), ORR_INDEX(-1,
  !> 1)).
  !> @param step  ORR_NO_INDEX: all 1
  !> dtypes: all. Errors: ORR_EINVAL (a step of 0, lists of different lengths), ORR_EAXIS (more numbers than axes).
  !> grad: zeros of x's shape with g in these places.                                                  cost: a view.
  function orr_slice(x, start, stop, step, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: start(:)
    class(*), intent(in) :: stop(:)
    class(*), intent(in), optional :: step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_slice(f_file(), place_line, f_of(x), f_index(start), f_index(stop), f_index(step)), stat, errmsg)
    call f_drop(x)
  end function

  !> orr_slice along one axis. Errors: ORR_EAXIS, ORR_EINVAL (a step of 0).
  function orr_slice_axis(x, axis, start, stop, step, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    class(*), intent(in) :: start
    class(*), intent(in) :: stop
    class(*), intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_slice_axis(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_int(start), f_int(stop), &
        f_int(step)), stat, errmsg)
    call f_drop(x)
  end function

  !> x[…, index, …]: the place `index` of one axis, which is removed. A negative index counts from the end.
  !> dtypes: all. Errors: ORR_EAXIS, ORR_EINDEX.     grad: as orr_slice.                              cost: a view.
  function orr_select(x, axis, index, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    class(*), intent(in) :: index
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_select(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_int(index)), stat, errmsg)
    call f_drop(x)
  end function

  !> Windows of `axis`: y[…, w, …, j] = x[…, w · step + j, …]. An overlapping view: nothing is copied.
  !> @param length  elements of a window, 1 … x's length along `axis`    @param step  from one window to the next, ≥ 1
  !> @return   x's shape with (length_of_axis − length) / step + 1 windows along `axis`, and a last axis of `length`; owned
  !>           by the current scope; poison on ORR_EAXIS, ORR_ESHAPE, ORR_EINVAL.
  !> dtypes:   all.      grad: for each element the sum of g over its appearances.      cost: a view of x's value.
  function orr_sliding_window(x, axis, length, step, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    class(*), intent(in) :: length
    class(*), intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sliding_window(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_int(length), f_int(step)), &
        stat, errmsg)
    call f_drop(x)
  end function

  !> x backwards along the axes named. dtypes: all. Errors: ORR_EAXIS.     grad: g backwards.        cost: a view.
  function orr_flip(x, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_flip(f_file(), place_line, f_of(x), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> Σ x. Of no elements: 0. dtypes: all; bool and signed integers sum to i64, unsigned to u64 (wrapping), others keep
  !> theirs.
  !> grad: g, repeated.
  function orr_sum(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sum(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Π x. Of no elements: 1. dtypes: as orr_sum. grad: g times the product of the others, right with one zero or
  !> several; the second derivative is right where no factor is 0.
  function orr_prod(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_prod(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Σ x / n. Of no elements: NaN. dtypes: floats; f16 and bf16 are computed in f32, here and in all below. Errors:
  !> ORR_EDTYPE. grad: g/n.
  function orr_mean(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mean(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Σ (x − mean)² / (n − ddof). NaN or inf when n ≤ ddof. dtypes: floats; computed in f64 and rounded once. Errors: ORR_EDTYPE.
  !> grad: 2·g·(x − mean)/(n − ddof).
  !> cost: two passes; one, over f32, f16 and bf16 that exceed the cache (sums of the differences from one element and of their squares, in
  !> f64: Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983), as exact as two.
  function orr_var(x, axes, ddof, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    class(*), intent(in) :: ddof
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_var(f_file(), place_line, f_of(x), f_axes(axes), f_real(ddof), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> √var. dtypes: floats. Errors: ORR_EDTYPE. grad: through the root; 0 where the variance is 0.
  function orr_std(x, axes, ddof, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    class(*), intent(in) :: ddof
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_std(f_file(), place_line, f_of(x), f_axes(axes), f_real(ddof), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> √(Σ x²), the 2-norm. dtypes: floats; squares and sum in f64, so that only the norm itself may overflow f32, f16 or bf16. In
  !> f64 a square beyond 1.8e308 is inf. Errors: ORR_EDTYPE. grad: g·x/norm; 0 where the norm is 0.
  function orr_norm(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_norm(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> log Σ eˣ, computed relative to the maximum: no overflow; right for ±inf; of no elements: −inf. dtypes: floats.
  !> Errors: ORR_EDTYPE. grad: g·softmax(x). cost: two passes.
  function orr_logsumexp(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logsumexp(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Least x; NaN if there is one. dtypes: all. Errors: ORR_ESHAPE (no elements).
  !> grad: g, in equal parts to all elements that equal the minimum.
  function orr_min(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_min(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Greatest x; otherwise as orr_min.
  function orr_max(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_max(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> True if any x ≠ 0 (NaN is). Of no elements: false. dtypes: all, to bool.
  function orr_any(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_any(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> True if every x ≠ 0. Of no elements: true. dtypes: all, to bool.
  function orr_all(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_all(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The place of the greatest element along `axis` (ORR_FLAT: in row-major order over all); the first of equals; the
  !> first NaN if there is one. dtypes: all, to i64. Errors: ORR_EAXIS, ORR_ESHAPE (no elements).
  function orr_argmax(x, axis, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_argmax(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The place of the least element; otherwise as orr_argmax.
  function orr_argmin(x, axis, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_argmin(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> Sums of the elements up to each one: y[k] = x[0] + … + x[k] along `axis`.
  !> @param include_initial  true: y begins with a 0 and is longer by one
  !> @return   x's shape (along `axis` one more with include_initial), owned by the current scope; poison on ORR_EAXIS.
  !> dtypes:   all; signed integers and bool to i64, unsigned ones to u64, both wrapping; elements of fields keep theirs. Halves are
  !>           summed in f32, f32 in f64; every element is rounded once.
  !> grad:     the sums of g from each element on.      cost: one pass; two over few long lines, which all cores share.
  function orr_cumulative_sum(x, axis, include_initial, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: include_initial
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cumulative_sum(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(include_initial)), &
        stat, errmsg)
    call f_drop(x)
  end function

  !> Products of the elements up to each one: y[k] = x[0] · … · x[k] along `axis`; with include_initial y begins with a 1.
  !> Otherwise as orr_cumulative_sum.
  !> grad:     the sums of g·y from each element on, divided by it; right with one zero or several. The second derivative is
  !>           right where no factor is 0.
  function orr_cumulative_prod(x, axis, include_initial, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: include_initial
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cumulative_prod(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(include_initial)), &
        stat, errmsg)
    call f_drop(x)
  end function

  !> The elements of `axis` in ascending order, or in descending order. Equal elements keep their order; NaN is last in
  !> both directions; −0 equals 0.
  !> @return   x's shape and dtype, owned by the current scope; poison on ORR_EAXIS.
  !> dtypes:   all.
  !> grad:     g of each element at the element's place in x.      cost: one pass per byte of the dtype; rows, and the
  !>           chunks of few long lines, are shared by the workers.
  function orr_sort(x, axis, descending, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: descending
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sort(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(descending)), stat, errmsg)
    call f_drop(x)
  end function

  !> The indices along `axis` that sort x as orr_sort does: orr_sort(x)[k] = x[orr_argsort(x)[k]].
  !> @return   x's shape, i64, owned by the current scope; poison on ORR_EAXIS.
  !> dtypes:   all, to i64. No gradient.      cost: as orr_sort.
  function orr_argsort(x, axis, descending, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    logical, intent(in), optional :: descending
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_argsort(f_file(), place_line, f_of(x), int(f_int(axis), c_int), f_bool(descending)), stat, errmsg)
    call f_drop(x)
  end function

  !> C = A · B over the last two axes; the others broadcast. As in NumPy, a 1-d A is a row and a 1-d B a column, and
  !> their axis is missing in the result. A transposed operand is read without a copy.
  !> @param a  (…, m, k)    @param b  (…, k, n)
  !> @return   (…, m, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
  !> dtypes:   integers and floats, promoted; f16 and bf16 accumulate in f32. Integers wrap (without BLAS, at most 5 batch
  !>           axes). Elements of one field, too.
  !> grad:     dA = g·Bᵀ, dB = Aᵀ·g (summed over broadcast axes).      cost: 2mnk flop.
  function orr_matmul(a, b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_matmul(f_file(), place_line, f_of(a), f_of(b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> The lower triangular L with positive diagonal and A = L · Lᵀ, for each matrix; zeros above. A is symmetric, or Hermitian with A = L ·
  !> Lᴴ; only its lower triangle is read. L is computed in tiles whose size depends on n alone, so the bits do not depend on the number of
  !> workers; one large matrix is a graph of tasks (potrf, trsm, syrk, gemm), many are tasks of their own.
  !> @param a  (…, n, n)
  !> @return   (…, n, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A matrix that is not positive
  !>           definite, NaN or infinity in it included, is found by evaluation (ORR_ENUMERIC), which names the order of the
  !>           first leading minor that is not positive, and in a batch the matrix.
  !> dtypes:   f32 f64 c64 c128.      cost: n³/3 flop a matrix. On the CPU; from n = 2048 on also on CUDA devices, and then the bits depend
  !> on the placement (ORRERY_DETERMINISTIC=1: only on the CPU).
  !> grad:     ½ L⁻ᵀ (P + Pᵀ) L⁻¹, P the lower triangle of Lᵀg with its diagonal halved: symmetric, for symmetric changes
  !>           of A (I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016).
  function orr_cholesky(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cholesky(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> X with A · X = B, for a lower or upper triangular A, of which only that triangle is read. transpose: Aᵀ · X = B. unit:
  !> the diagonal is ones and is not read. As in the Python array API's solve, a b of one axis is one vector and any other b
  !> a stack of matrices; the stacks of a and b broadcast.
  !> @param a  (…, n, n)    @param b  (…, n, m) or (n)
  !> @return   (…, n, m) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A zero on the diagonal is
  !>           found by evaluation (ORR_ENUMERIC, as in SciPy); NaN and infinity go through.
  !> dtypes:   f32 f64 c64 c128, promoted.      cost: n²·m flop and two copies of b. On the CPU.
  !> grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ in the triangle that is read (both transposed with A, summed over broadcast axes).
  function orr_solve_triangular(a, b, lower, transpose, unit, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    logical, intent(in), optional :: lower
    logical, intent(in), optional :: transpose
    logical, intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_solve_triangular(f_file(), place_line, f_of(a), f_of(b), f_bool(lower), f_bool(transpose), &
        f_bool(unit)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> X with A · X = B, for A = L · Lᵀ (complex: L · Lᴴ) given by its factor L = orr_cholesky(A): two solves. Otherwise as
  !> orr_solve_triangular.
  function orr_solve_cholesky(l, b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: l
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_solve_cholesky(f_file(), place_line, f_of(l), f_of(b)), stat, errmsg)
    call f_drop(l)
    call f_drop(b)
  end function

  !> log det A, which is real, of each symmetric or Hermitian positive definite matrix: 2 Σ log Lᵢᵢ with L = orr_cholesky(A), so it neither
  !> overflows nor underflows where det A would. 0 for order 0. The factor is shared: orr_logdet(A) and orr_cholesky(A) in one evaluation
  !> factor A once.
  !> @param a  (…, n, n)
  !> @return   (…), owned by the current scope; poison and ORR_ENUMERIC as orr_cholesky.
  !> dtypes:   f32 f64 c64 c128; logarithms are summed in f64.      cost: that of orr_cholesky.
  !> grad:     A⁻¹ g, through the factor: symmetric.
  function orr_logdet(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_logdet(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> x's elements along `axis` (ORR_FLAT: of x as flat) at `indices`, whose shape replaces the axis. Negative indices count
  !> from the end. An index out of range is found by evaluation (ORR_EINDEX), unless no evaluated value depends on it. By
  !> itself the operation copies rows; a fused reader of the result reads x in its own kernel (docs/fusion.md).
  !> dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (rank above 8).
  !> grad: scatter_add of g into zeros.      cost: 1 per element of the result.
  function orr_take(x, indices, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_take(f_file(), place_line, f_of(x), f_of(indices), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
  end function

  !> x, to which updates[…, i, …] is added at place indices[i] of `axis`; an index may occur several times.
  !> @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
  !> dtypes: x and updates promoted, bool not, f16 and bf16 added in f32 and rounded once; indices integers. Errors: as
  !> orr_take. An index out of range is found by evaluation (ORR_EINDEX). grad: dx = g, dupdates = take(g). cost: 1 per element of x and
  !> of updates.
  function orr_scatter_add(x, indices, updates, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    type(orr_tensor), intent(in) :: updates
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_scatter_add(f_file(), place_line, f_of(x), f_of(indices), f_of(updates), int(f_int(axis), c_int)), &
        stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
    call f_drop(updates)
  end function

  !> 1 where the place along a new last axis of length n is the index, else 0; an index outside 0 … n−1 gives zeros.
  !> dtypes: indices integers; the result any. Errors: ORR_EDTYPE, ORR_ESHAPE. cost: fused, n per index.
  function orr_one_hot(indices, n, dtype, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: indices
    class(*), intent(in) :: n
    integer, intent(in) :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_one_hot(f_file(), place_line, f_of(indices), f_int(n), int(dtype, c_int)), stat, errmsg)
    call f_drop(indices)
  end function

  !> x where column − row ≤ k over the last two axes, zeros above.
  !> dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: tril(g, k). cost: fused, 1 per element.
  function orr_tril(x, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_tril(f_file(), place_line, f_of(x), f_int(k)), stat, errmsg)
    call f_drop(x)
  end function

  !> x where column − row ≥ k over the last two axes, zeros below; otherwise as orr_tril.
  function orr_triu(x, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_triu(f_file(), place_line, f_of(x), f_int(k)), stat, errmsg)
    call f_drop(x)
  end function

  !> The n tensors joined along an axis that they all have; the other dimensions are equal.
  !> dtypes: all, promoted. Errors: ORR_EINVAL (n < 1), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
  !> grad: slices of g. cost: a copy.
  function orr_concat(t, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t(:)
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    call f_all(t, p_t)
    call f_made(r_, c_concat(f_file(), place_line, c_loc(p_t), int(ubound(t, 1), c_int), int(f_int(axis), c_int)), stat, &
        errmsg)
    call f_drop_all(t)
  end function

  !> The n tensors of one shape along a new axis. Otherwise as orr_concat. dtypes: all, promoted.
  function orr_stack(t, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t(:)
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    call f_all(t, p_t)
    call f_made(r_, c_stack(f_file(), place_line, c_loc(p_t), int(ubound(t, 1), c_int), int(f_int(axis), c_int)), stat, &
        errmsg)
    call f_drop_all(t)
  end function

  !> x with lo[k] elements before and hi[k] after along axis k, all `value`; axes beyond the lists are not padded.
  !> dtypes: all. Errors: ORR_EINVAL (negative), ORR_EAXIS (more numbers than axes), ORR_ESHAPE (overflow), ORR_EDTYPE
  !> (value is none of x's dtype). grad: the part of g that is x. cost: a copy.
  function orr_pad(x, lo, hi, value, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: lo(:)
    class(*), intent(in) :: hi(:)
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_pad(f_file(), place_line, f_of(x), f_index(lo), f_index(hi), f_real(value)), stat, errmsg)
    call f_drop(x)
  end function

  !> x for x > 0, else alpha · (eˣ − 1). orr_elu_with takes alpha as a tensor.
  !> dtypes: floats. Errors: ORR_EDTYPE. grad: g for x > 0, else g·alpha·eˣ. cost: 26 per element.
  function orr_elu(x, alpha, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: alpha
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_elu(f_file(), place_line, f_of(x), f_real(alpha)), stat, errmsg)
    call f_drop(x)
  end function

  !> x for x ≥ 0, else slope · x. orr_prelu takes the slope as a tensor.
  !> dtypes: floats. Errors: ORR_EDTYPE. grad: g for x ≥ 0, else g·slope. cost: 2 per element.
  function orr_leaky_relu(x, slope, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: slope
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_leaky_relu(f_file(), place_line, f_of(x), f_real(slope)), stat, errmsg)
    call f_drop(x)
  end function

  !> eˣ / Σ eˣ along the axis, computed relative to the maximum. dtypes: floats; f16 and bf16 are computed in f32.
  !> Errors: ORR_EAXIS, ORR_EDTYPE. grad: r·(g − Σ g·r). cost: three passes.
  function orr_softmax(x, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_softmax(f_file(), place_line, f_of(x), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> x − log Σ eˣ along the axis, stable as orr_softmax. grad: g − softmax(x)·Σ g.
  function orr_log_softmax(x, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_log_softmax(f_file(), place_line, f_of(x), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> −mean over the batch of log_softmax(logits)[label].
  !> @param logits  (…, classes), a float dtype    @param labels  (…), integers 0 … classes−1
  !> @return  (); NaN when a label is out of range, −100 too: no label is ignored. orr_cross_entropy_with can ignore one.
  !> Errors: ORR_EDTYPE, ORR_ESHAPE.
  !> grad: by logits, (softmax − one_hot)·g/batch. cost: as log_softmax.
  function orr_cross_entropy(logits, labels, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: logits
    type(orr_tensor), intent(in) :: labels
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cross_entropy(f_file(), place_line, f_of(logits), f_of(labels)), stat, errmsg)
    call f_drop(logits)
    call f_drop(labels)
  end function

  !> The mean of (x − y)², of shape (). x and y have one shape, or one of them is orr_scalar.
  !> dtypes: floats, promoted. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: ±2·g·(x − y)/n. cost: one pass.
  function orr_mse(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mse(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> Zeros of x's shape and dtype. dtypes: all. No gradient.
  function orr_zeros_like(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_zeros_like(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> Ones of x's shape and dtype. dtypes: all. No gradient.
  function orr_ones_like(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ones_like(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> A tensor of x's shape and dtype, each element `value`.
  !> dtypes: all. Errors: ORR_EDTYPE (an integer dtype that does not hold the value). No gradient.
  function orr_full_like(x, value, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_full_like(f_file(), place_line, f_of(x), f_real(value)), stat, errmsg)
    call f_drop(x)
  end function

  !> x kept between two numbers: orr_clip with numbers for its bounds, orr_clip_between(x, 0, 6).
  !> dtypes: numbers; x's dtype, which must hold both bounds. Errors: ORR_EDTYPE, ORR_EINVAL (low > high, or NaN).
  !> grad: g where low ≤ x ≤ high.      cost: fused, 4 per element.
  function orr_clip_between(x, low, high, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: low
    class(*), intent(in) :: high
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_clip_between(f_file(), place_line, f_of(x), f_real(low), f_real(high)), stat, errmsg)
    call f_drop(x)
  end function

  !> The coordinates of a grid: grids[k][i₀, i₁, …] = x[k][i_k], for n lines x of lengths n₀, n₁, …
  !> @param matrix  true: the shape is (n₀, n₁, …); false: its first two axes are exchanged, as for images ("xy" in NumPy)
  !> @param grids   n results
  !> dtypes: all. Errors: ORR_EINVAL (n < 1), ORR_ESHAPE (a line with other than one axis; more than 8 lines).
  !> grad: g summed over the other axes.      cost: views.
  subroutine orr_meshgrid(x, matrix, grids, stat, errmsg)
    type(orr_tensor), intent(in) :: x(:)
    logical, intent(in), optional :: matrix
    type(orr_tensor), intent(inout) :: grids(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr), target :: p_grids(max(1, ubound(grids, 1)))
    integer(c_int) :: status_
    call f_all(x, p_x)
    p_grids = c_null_ptr
    status_ = c_meshgrid(f_file(), place_line, c_loc(p_x), int(f_length(ubound(x, 1), ubound(grids, 1)), c_int), &
        f_bool(matrix), c_loc(p_grids))
    call f_drop_all(x)
    call f_results(grids, p_grids)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Square matrices whose diagonal number k is v and whose other elements are 0.
  !> @param v  (…, n)     @param k  > 0 above the main diagonal, < 0 below
  !> @return   (…, n + |k|, n + |k|).
  !> dtypes: all. Errors: ORR_ESHAPE (no axis, or eight). grad: the diagonal of g. cost: fused, 1 per element.
  function orr_diag(v, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: v
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_diag(f_file(), place_line, f_of(v), f_int(k)), stat, errmsg)
    call f_drop(v)
  end function

  !> Diagonal number k of the matrices in the last two axes: y[…, i] = x[…, i, i + k], or x[…, i − k, i] for k < 0.
  !> @param x  (…, m, n)
  !> @return   (…, length), where the length is 0 for a diagonal outside the matrix.
  !> dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: zeros with g on the diagonal. cost: a view of x's value.
  function orr_diagonal(x, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_diagonal(f_file(), place_line, f_of(x), f_int(k)), stat, errmsg)
    call f_drop(x)
  end function

  !> Axes from[i] of x at the places to[i] of the result, the other axes in their order.
  !> dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS (out of range, or twice).
  !> grad: the inverse.      cost: a view.
  function orr_moveaxis(x, from, to, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: from(:)
    class(*), intent(in), optional :: to(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_moveaxis(f_file(), place_line, f_of(x), f_axes(from), f_axes(to)), stat, errmsg)
    call f_drop(x)
  end function

  !> Two axes exchanged. dtypes: all. Errors: ORR_EAXIS. grad: g with the axes exchanged. cost: a view.
  function orr_swapaxes(x, axis, other, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    class(*), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_swapaxes(f_file(), place_line, f_of(x), int(f_int(axis), c_int), int(f_int(other), c_int)), stat, &
        errmsg)
    call f_drop(x)
  end function

  !> Each element of `axis` repeated n times, the copies next to each other; ORR_FLAT: the elements of x as flat.
  !> dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE. grad: the sum over the copies. cost: a copy.
  function orr_repeat(x, n, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_repeat(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> Element i of `axis` repeated counts[i] times; ORR_FLAT: the elements of x as flat. The shape depends on data:
  !> `counts` is evaluated.
  !> @param counts  one axis, as long as x's or of length 1; integers ≥ 0
  !> dtypes: x all. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (another length), ORR_EINVAL (a negative count), those of
  !> orr_eval. grad: the sum over the copies. cost: that of orr_take.
  function orr_repeat_each(x, counts, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: counts
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_repeat_each(f_file(), place_line, f_of(x), f_of(counts), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
    call f_drop(counts)
  end function

  !> x shifted by shift[i] places along axes[i]; elements that leave at one end enter at the other. One axis ORR_FLAT: x is
  !> shifted as flat and keeps its shape. An axis that occurs twice is shifted by the sum.
  !> dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS. grad: shifted back. cost: a copy, fused.
  function orr_roll(x, shift, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: shift(:)
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_roll(f_file(), place_line, f_of(x), f_index(shift), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> x turned k times by 90 degrees in the plane of two axes, from the first towards the second.
  !> dtypes: all. Errors: ORR_EAXIS (out of range, or equal). grad: turned back. cost: a view.
  function orr_rot90(x, k, first, second, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    class(*), intent(in) :: first
    class(*), intent(in) :: second
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rot90(f_file(), place_line, f_of(x), f_int(k), int(f_int(first), c_int), int(f_int(second), c_int)), &
        stat, errmsg)
    call f_drop(x)
  end function

  !> x repeated as a whole, n[i] times along axis i; the shorter of n and x's shape is extended by leading ones.
  !> dtypes: all. Errors: ORR_EINVAL (negative), ORR_ESHAPE. grad: the sum over the copies. cost: a copy.
  function orr_tile(x, n, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_tile(f_file(), place_line, f_of(x), f_index(n)), stat, errmsg)
    call f_drop(x)
  end function

  !> pieces[0 … n − 1] are equal parts of x along an axis. Errors: ORR_EAXIS, ORR_EINVAL (n < 1), ORR_ESHAPE (n does not divide
  !> the length).
  !> dtypes: all. grad: zeros with g in place. cost: views.
  subroutine orr_split(x, axis, pieces, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    type(orr_tensor), intent(inout) :: pieces(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_pieces(max(1, ubound(pieces, 1)))
    integer(c_int) :: status_
    p_pieces = c_null_ptr
    status_ = c_split(f_file(), place_line, f_of(x), int(ubound(pieces, 1), c_int), int(f_int(axis), c_int), &
        c_loc(p_pieces))
    call f_drop(x)
    call f_results(pieces, p_pieces)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> pieces[0 … n] of x along an axis, cut before the elements place[0] ≤ place[1] ≤ …; negative places count from the end.
  !> Errors: ORR_EAXIS, ORR_EINVAL (not ascending), ORR_EINDEX (out of range). Otherwise as orr_split.
  subroutine orr_cut(x, place, axis, pieces, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in), target, contiguous :: place(:)
    class(*), intent(in) :: axis
    type(orr_tensor), intent(inout) :: pieces(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_pieces(max(1, ubound(pieces, 1)))
    integer(c_int) :: status_
    p_pieces = c_null_ptr
    status_ = c_cut(f_file(), place_line, f_of(x), c_loc(place), int(f_length(ubound(place, 1), ubound(pieces, 1) - 1), &
        c_int), int(f_int(axis), c_int), c_loc(p_pieces))
    call f_drop(x)
    call f_results(pieces, p_pieces)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The n elements of an axis of length n as tensors without that axis: the inverse of orr_stack.
  !> Errors: ORR_EAXIS, ORR_ESHAPE (another length). dtypes: all. grad: zeros with g in place. cost: views.
  subroutine orr_unstack(x, axis, items, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    type(orr_tensor), intent(inout) :: items(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_items(max(1, ubound(items, 1)))
    integer(c_int) :: status_
    p_items = c_null_ptr
    status_ = c_unstack(f_file(), place_line, f_of(x), int(f_int(axis), c_int), c_loc(p_items), int(ubound(items, 1), &
        c_int))
    call f_drop(x)
    call f_results(items, p_items)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> results[i] is x[i] broadcast to the common shape of all n. Each keeps its dtype.
  !> Errors: ORR_EINVAL (n < 1), ORR_ESHAPE. dtypes: all. grad: g summed over the repeated axes. cost: views.
  subroutine orr_broadcast_arrays(x, results, stat, errmsg)
    type(orr_tensor), intent(in) :: x(:)
    type(orr_tensor), intent(inout) :: results(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr), target :: p_results(max(1, ubound(results, 1)))
    integer(c_int) :: status_
    call f_all(x, p_x)
    p_results = c_null_ptr
    status_ = c_broadcast_arrays(f_file(), place_line, c_loc(p_x), int(f_length(ubound(x, 1), ubound(results, 1)), c_int), &
        c_loc(p_results))
    call f_drop_all(x)
    call f_results(results, p_results)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> y[…, i, …] = x[…, indices[…, i, …], …] along one axis; the other axes of x and indices broadcast.
  !> @param indices  x's rank; negative ones count from the end
  !> @return   the broadcast shape with the length of indices along `axis`. An index out of range is found by evaluation
  !>           (ORR_EINDEX).
  !> dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE.
  !> grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result.
  function orr_take_along_axis(x, indices, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_take_along_axis(f_file(), place_line, f_of(x), f_of(indices), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
  end function

  !> y[i…, j…] = x[indices[i…, 0], …, indices[i…, m−1], j…]: each row of m indices names an element, or a piece, of x.
  !> @param indices  (…, m), m ≤ rank of x; negative ones count from the end
  !> @return   the shape of indices without its last axis, then the axes of x from m on. An index out of range is found by
  !>           evaluation (ORR_EINDEX); the message has the place in row-major order over the first m axes.
  !> dtypes: x all, indices integers. Errors: ORR_EDTYPE, ORR_ESHAPE.
  !> grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result.
  function orr_gather_nd(x, indices, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_gather_nd(f_file(), place_line, f_of(x), f_of(indices)), stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
  end function

  !> x with place indices[i] of `axis` changed by updates[…, i, …]; an index may occur several times.
  !> @param indices  negative ones count from the end; one out of range is found by evaluation (ORR_EINDEX)
  !> @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
  !> dtypes: x and updates promoted (bool not with ORR_SCATTER_ADD), indices integers. Errors: ORR_EAXIS, ORR_EDTYPE,
  !> ORR_ESHAPE, ORR_EINVAL (no mode).
  !> grad: for ORR_SCATTER_SET g goes to the last update of each place, for an extremum in equal parts to all values that
  !> equal it, for a product it is g times the other factors.      cost: 1 per element of x and of updates, on one core.
  function orr_scatter(x, indices, updates, axis, mode, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    type(orr_tensor), intent(in) :: updates
    class(*), intent(in) :: axis
    integer, intent(in), optional :: mode
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_scatter(f_file(), place_line, f_of(x), f_of(indices), f_of(updates), int(f_int(axis), c_int), &
        f_enum(mode)), stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
    call f_drop(updates)
  end function

  !> x with the element, or the piece, that the row indices[i…] names (orr_gather_nd) changed by updates[i…, j…].
  !> @param updates  the shape of orr_gather_nd's result; broadcast to it. Otherwise as orr_scatter.
  function orr_scatter_nd(x, indices, updates, mode, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: indices
    type(orr_tensor), intent(in) :: updates
    integer, intent(in), optional :: mode
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_scatter_nd(f_file(), place_line, f_of(x), f_of(indices), f_of(updates), f_enum(mode)), stat, errmsg)
    call f_drop(x)
    call f_drop(indices)
    call f_drop(updates)
  end function

  !> The elements of x where mask is true, in row-major order. The mask's shape is the beginning of x's; the axes after it
  !> stay. The shape of the result depends on data: `mask` is evaluated.
  !> @return   (number of true elements, axes of x after the mask's …).
  !> dtypes: x all, mask bool. Errors: ORR_EDTYPE, ORR_ESHAPE, those of orr_eval.
  !> grad: g in these places, zeros elsewhere.      cost: that of orr_take.
  function orr_mask_select(x, mask, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: mask
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mask_select(f_file(), place_line, f_of(x), f_of(mask)), stat, errmsg)
    call f_drop(x)
    call f_drop(mask)
  end function

  !> The places where x ≠ 0 (NaN is), in row-major order. The shape depends on data: `x` is evaluated.
  !> @return   (number of places, rank of x), i64.
  !> dtypes: all. Errors: those of orr_eval. No gradient.
  function orr_argwhere(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_argwhere(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> orr_argwhere with one result for each axis of x: places[d][i] is the index along axis d.
  !> errors:   ORR_ESHAPE (a 0-d x, or n is not its rank), those of orr_eval.
  subroutine orr_nonzero(x, places, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(inout) :: places(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_places(max(1, ubound(places, 1)))
    integer(c_int) :: status_
    p_places = c_null_ptr
    status_ = c_nonzero(f_file(), place_line, f_of(x), c_loc(p_places), int(ubound(places, 1), c_int))
    call f_drop(x)
    call f_results(places, p_places)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The number of elements that are ≠ 0 (NaN is), over axes as in orr_sum. dtypes: all, to i64. No gradient.
  function orr_count_nonzero(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_count_nonzero(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The place at which each value keeps an ascending line sorted: the number of elements below the value, or with `right`
  !> of those not above it. NaN is the greatest, as in orr_sort. For a line in another order the places are arbitrary; that
  !> is no error.
  !> @param sorted  one axis; with a sorter (orr_argsort) write orr_take(line, sorter, 0)
  !> @return   the shape of values, i64.
  !> dtypes: all, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. No gradient. cost: log₂ of the length, for each value.
  function orr_searchsorted(sorted, values, right, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: sorted
    type(orr_tensor), intent(in) :: values
    logical, intent(in), optional :: right
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_searchsorted(f_file(), place_line, f_of(sorted), f_of(values), f_bool(right)), stat, errmsg)
    call f_drop(sorted)
    call f_drop(values)
  end function

  !> The places of the k greatest, or least, elements of an axis, best first: the first k of orr_argsort.
  !> @return   x's shape with k along `axis`, i64.
  !> dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (k < 0 or above the length). No gradient.
  !> cost: one pass for a small k; few long lines are shared by all cores.
  function orr_top_places(x, k, axis, largest, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    class(*), intent(in) :: axis
    logical, intent(in), optional :: largest
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_top_places(f_file(), place_line, f_of(x), f_int(k), int(f_int(axis), c_int), f_bool(largest)), stat, &
        errmsg)
    call f_drop(x)
  end function

  !> The k greatest, or least, elements of an axis, best first, and their places. Otherwise as orr_top_places.
  !> grad: g at the places of the elements.
  subroutine orr_topk(x, k, axis, largest, values, places, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    class(*), intent(in) :: axis
    logical, intent(in), optional :: largest
    type(orr_tensor), intent(inout) :: values
    type(orr_tensor), intent(inout) :: places
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values
    type(c_ptr), target :: p_places
    integer(c_int) :: status_
    p_values = c_null_ptr
    p_places = c_null_ptr
    status_ = c_topk(f_file(), place_line, f_of(x), f_int(k), int(f_int(axis), c_int), f_bool(largest), c_loc(p_values), &
        c_loc(p_places))
    call f_drop(x)
    call f_result(values, p_values)
    call f_result(places, p_places)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The distinct elements of x as flat, in ascending order, complex ones by their real, then by their imaginary parts. As
  !> in the standard, each NaN is distinct and ±0 are equal. The shape depends on data: `x` is evaluated.
  !> @return   one axis, x's dtype. dtypes: all. Errors: those of orr_eval.
  !> No gradient; the values of orr_unique_all have one. cost: that of orr_sort.
  function orr_unique_values(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_unique_values(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> orr_unique_values, and the count of each value, i64.
  subroutine orr_unique_counts(x, values, counts, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(inout) :: values
    type(orr_tensor), intent(inout) :: counts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values
    type(c_ptr), target :: p_counts
    integer(c_int) :: status_
    p_values = c_null_ptr
    p_counts = c_null_ptr
    status_ = c_unique_counts(f_file(), place_line, f_of(x), c_loc(p_values), c_loc(p_counts))
    call f_drop(x)
    call f_result(values, p_values)
    call f_result(counts, p_counts)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_unique_values, and for each element of x, in x's shape, the place of its value among them, i64.
  subroutine orr_unique_inverse(x, values, inverse, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(inout) :: values
    type(orr_tensor), intent(inout) :: inverse
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values
    type(c_ptr), target :: p_inverse
    integer(c_int) :: status_
    p_values = c_null_ptr
    p_inverse = c_null_ptr
    status_ = c_unique_inverse(f_file(), place_line, f_of(x), c_loc(p_values), c_loc(p_inverse))
    call f_drop(x)
    call f_result(values, p_values)
    call f_result(inverse, p_inverse)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> All of these results, and the place in x as flat of the first occurrence of each value, i64. A result that is not
  !> needed may be NULL. grad: if indices or inverse is requested, the values have one: g goes to the first occurrences.
  !> cost: with indices or inverse that of orr_argsort.
  subroutine orr_unique_all(x, values, indices, inverse, counts, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(inout) :: values
    type(orr_tensor), intent(inout) :: indices
    type(orr_tensor), intent(inout) :: inverse
    type(orr_tensor), intent(inout) :: counts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values
    type(c_ptr), target :: p_indices
    type(c_ptr), target :: p_inverse
    type(c_ptr), target :: p_counts
    integer(c_int) :: status_
    p_values = c_null_ptr
    p_indices = c_null_ptr
    p_inverse = c_null_ptr
    p_counts = c_null_ptr
    status_ = c_unique_all(f_file(), place_line, f_of(x), c_loc(p_values), c_loc(p_indices), c_loc(p_inverse), &
        c_loc(p_counts))
    call f_drop(x)
    call f_result(values, p_values)
    call f_result(indices, p_indices)
    call f_result(inverse, p_inverse)
    call f_result(counts, p_counts)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Differences of neighbours along an axis, n times: y[i] = x[i + 1] − x[i].
  !> @param prepend, append  joined to x's ends first; NULL: none
  !> @return   n elements fewer along `axis`; none if there are not so many.
  !> dtypes: integers (wrapping) and floats, promoted; bool not. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE,
  !> ORR_EDTYPE. grad: the differences of g, reversed. cost: fused.
  function orr_diff(x, axis, n, prepend, append, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    class(*), intent(in) :: n
    type(orr_tensor), intent(in), optional :: prepend
    type(orr_tensor), intent(in), optional :: append
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_diff(f_file(), place_line, f_of(x), int(f_int(axis), c_int), int(f_int(n), c_int), f_of(prepend), &
        f_of(append)), stat, errmsg)
    call f_drop(x)
    call f_drop(prepend)
    call f_drop(append)
  end function

  !> The counts of 0 … length − 1 in x as flat; with weights, the sums of the weights.
  !> @param weights  x's shape, or NULL
  !> @param length   −1: one more than the greatest element; then the shape depends on data, and x is evaluated
  !> @return   (length), i64, or the dtype of weights. An element out of range is found by evaluation (ORR_EINDEX).
  !> dtypes: x integers, weights all but bool. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (a negative element).
  !> grad: by weights, g at each element. cost: that of orr_scatter_add.
  function orr_bincount(x, weights, length, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in), optional :: weights
    class(*), intent(in) :: length
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bincount(f_file(), place_line, f_of(x), f_of(weights), f_int(length)), stat, errmsg)
    call f_drop(x)
    call f_drop(weights)
  end function

  !> The number of elements of x as flat in each bin. Bin i is [edges[i], edges[i + 1]); the last one includes its right
  !> edge. Elements outside, and NaN, are not counted.
  !> @param edges    ascending, one axis of 2 at least (orr_linspace makes equal bins)
  !> @param weights  x's shape, or NULL
  !> @return   one element fewer than edges, i64, or the dtype of weights.
  !> dtypes: x and edges promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (edges that fall). grad: by weights. cost: log₂ bins for each element.
  function orr_histogram(x, edges, weights, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: edges
    type(orr_tensor), intent(in), optional :: weights
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_histogram(f_file(), place_line, f_of(x), f_of(edges), f_of(weights)), stat, errmsg)
    call f_drop(x)
    call f_drop(edges)
    call f_drop(weights)
  end function

  !> The q-quantiles over the axes: the value at place q·(m − 1) of the m sorted elements, interpolated linearly.
  !> @param axes  as for orr_mean
  !> @return   one axis for the n numbers q, then x's shape without the axes (1 with keepdims). NaN where an element is NaN.
  !> dtypes: floats; f16 and bf16 in f32. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (an empty axis), ORR_EINVAL (a q outside
  !> 0 … 1). grad: to the one or two elements. cost: that of orr_sort.
  function orr_quantile(x, q, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in), target, contiguous :: q(:)
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_quantile(f_file(), place_line, f_of(x), c_loc(q), int(ubound(q, 1), c_int), f_axes(axes), &
        f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The 0.5-quantile, without the axis for q. Otherwise as orr_quantile.
  function orr_median(x, axes, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_median(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The covariances of variables: rows of x are observations, columns are variables.
  !> @param x     (…, observations, variables)
  !> @param ddof  1: divided by n − 1, 0: by n
  !> @return   (…, variables, variables): Σ (xᵢ − mean)(xⱼ − mean) / (n − ddof). NaN or inf when n ≤ ddof.
  !> dtypes: floats. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: through the product. cost: a product of x with itself.
  function orr_covariance(x, ddof, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: ddof
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_covariance(f_file(), place_line, f_of(x), f_real(ddof)), stat, errmsg)
    call f_drop(x)
  end function

  !> Pearson's correlations: covariances divided by both standard deviations, within −1 … 1; NaN for a variable that does not
  !> vary. Otherwise as orr_covariance.
  function orr_correlation(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_correlation(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> The sum of products described by a text, as numpy.einsum: orr_einsum("bij,bjk->bik", ORR_TENSORS(a, b)) is a batch of
  !> matrix products. A letter stands for an axis. Axes of the same letter have the same length, or 1, which is repeated. A
  !> letter that occurs twice in an operand selects its diagonal; letters that the result does not have are summed over.
  !> "..." stands for further axes, which broadcast. Without "->" the result has the letters that occur once, in the order A
  !> … Z, a … z. Spaces are ignored. Operands are multiplied pair by pair, in the order of the fewest multiplications (all
  !> orders are compared for up to 8 operands; with more, the cheapest pair is next). Each pair is one orr_matmul, whose
  !> operands are not copied where possible.
  !> @param x  1 to 16 operands
  !> @return   owned by the current scope; poison on ORR_EINVAL (the text), ORR_ESHAPE, ORR_EDTYPE.
  !> dtypes:   integers (wrapping) and floats, promoted; bool not. A pair's product is rounded to the dtype.
  !> grad:     through the products.      cost: that of the order.
  function orr_einsum(text, x, stat, errmsg) result(r_)
    character(*), intent(in) :: text
    type(orr_tensor), intent(in) :: x(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_text
    type(c_ptr) :: p_text
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    p_text = c_null_ptr
    t_text = trim(text) // c_null_char
    p_text = c_loc(t_text)
    call f_all(x, p_x)
    call f_made(r_, c_einsum(f_file(), place_line, p_text, c_loc(p_x), int(ubound(x, 1), c_int)), stat, errmsg)
    call f_drop_all(x)
  end function

  !> Σ a·b over axes of_a[i] of a and of_b[i] of b: the other axes of a, then those of b. No axes: the outer product.
  !> dtypes: integers and floats, promoted. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
  !> grad: through the product. cost: that of orr_matmul, and copies of operands that are not matrices in memory.
  function orr_tensordot(a, b, of_a, of_b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    class(*), intent(in), optional :: of_a(:)
    class(*), intent(in), optional :: of_b(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_tensordot(f_file(), place_line, f_of(a), f_of(b), f_axes(of_a), f_axes(of_b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> Σ a·b along one axis of both, counted from the end; the other axes broadcast. Of complex numbers Σ conj(a)·b.
  !> dtypes: integers (wrapping), floats and complex, promoted. Errors: ORR_EAXIS (not negative), ORR_ESHAPE, ORR_EDTYPE.
  !> grad: g·b and g·a. cost: fused, one pass.
  function orr_vecdot(a, b, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_vecdot(f_file(), place_line, f_of(a), f_of(b), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> y[i, j] = a[i] · b[j]. dtypes: integers and floats, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. grad: g·b, gᵀ·a. cost: fused.
  function orr_outer(a, b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_outer(f_file(), place_line, f_of(a), f_of(b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> Kronecker's product: each element of a times all of b, as blocks. The shorter shape is extended by leading ones.
  !> dtypes: integers and floats, promoted. Errors: ORR_ESHAPE (more than 4 axes), ORR_EDTYPE. grad: through the product.
  function orr_kron(a, b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_kron(f_file(), place_line, f_of(a), f_of(b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> Returns whether t is of one of the kinds; false for any number that is no dtype. Thread-safe.
  function orr_isdtype(t, kinds) result(r_)
    integer, intent(in) :: t
    class(*), intent(in) :: kinds
    logical :: r_
    r_ = logical(c_isdtype(int(t, c_int), int(f_int(kinds), c_int)))
  end function

  !> Sets *result to the dtype to which the n dtypes promote, by the rules of the standard.
  !> errors:   ORR_EINVAL (n < 1), ORR_EDTYPE (no dtype, or no common one). Thread-safe.
  subroutine orr_result_type(t, result, stat, errmsg)
    integer(c_int), intent(in), target, contiguous :: t(:)
    integer(c_int), intent(inout), target :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_result_type(f_file(), place_line, c_loc(t), int(ubound(t, 1), c_int), c_loc(result))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns whether `from` promotes to `to`, so that no value is lost. Thread-safe.
  function orr_can_cast(from, to) result(r_)
    integer, intent(in) :: from
    integer, intent(in) :: to
    logical :: r_
    r_ = logical(c_can_cast(int(from, c_int), int(to, c_int)))
  end function

  !> Sets *facts. errors: ORR_EDTYPE (`t` is no float dtype). Thread-safe.
  subroutine orr_finfo(t, facts, stat, errmsg)
    integer, intent(in) :: t
    type(orr_float_facts), intent(inout), target :: facts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_finfo(f_file(), place_line, int(t, c_int), c_loc(facts))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *facts. errors: ORR_EDTYPE (`t` is no integer dtype). Thread-safe.
  subroutine orr_iinfo(t, facts, stat, errmsg)
    integer, intent(in) :: t
    type(orr_integer_facts), intent(inout), target :: facts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_iinfo(f_file(), place_line, int(t, c_int), c_loc(facts))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> X with A · X = B, by an LU factorisation with partial pivoting. As in the Python array API's solve, a b of one axis is one
  !> vector and any other b a stack of matrices; the stacks of a and b broadcast.
  !> @param a  (…, n, n)    @param b  (…, n, k) or (n)
  !> @return   (…, n, k) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A pivot that is exactly 0 is
  !>           ORR_ENUMERIC; NaN goes through.
  !> dtypes:   f32 f64 c64 c128, promoted.      cost: 2/3·n³ + 2·n²·k flop a matrix.
  !> grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ, summed over broadcast axes.
  function orr_solve(a, b, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_solve(f_file(), place_line, f_of(a), f_of(b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> A⁻¹, as the solution of A · X = 1. A system is better solved by orr_solve.
  !> @param a  (…, n, n)
  !> @return   (…, n, n), owned by the current scope; poison and ORR_ENUMERIC as orr_solve.
  !> dtypes:   f32 f64 c64 c128.      cost: 8/3·n³ flop.      grad: −A⁻ᵀ·g·A⁻ᵀ.
  function orr_inv(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_inv(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> Least squares for any A, rank-deficient ones included, by singular values (LAPACK's gelsd). b as in orr_solve.
  !> @param a     (…, m, n)    @param b  (…, m, k) or (m)
  !> @param rtol  singular values up to rtol times the largest count as 0; negative: max(m, n)·ε of the dtype
  !> dtypes:   f32 f64 c64 c128, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN); ORR_ENUMERIC (NaN or infinity in a or b).
  !> cost:     ≈ 8·m·n·min(m, n) flop.
  !> grad:     for constant rank, with P = A⁺: dB = Pᵀ·g, dA = −dB·Xᵀ + (B − A·X)·(P·dB)ᵀ + (Pᵀ·X)·(g − Aᵀ·dB)ᵀ. Source: Golub and
  !>           Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems …", SIAM J. Numer. Anal. 10, 1973.
  subroutine orr_lstsq(a, b, rtol, x, rank, s, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    class(*), intent(in) :: rtol
    type(orr_tensor), intent(inout) :: x
    type(orr_tensor), intent(inout) :: rank
    type(orr_tensor), intent(inout) :: s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_lstsq_result) :: s_r
    call c_lstsq(s_r, f_file(), place_line, f_of(a), f_of(b), f_real(rtol))
    call f_drop(a)
    call f_drop(b)
    call f_result(x, s_r%x)
    call f_result(rank, s_r%rank)
    call f_result(s, s_r%s)
    call f_settle(c_tensor_status(s_r%x), stat, errmsg)
  end subroutine

  !> The pseudo-inverse A⁺ (Moore, Penrose): the least-squares solution of A · X = 1.
  !> @param a     (…, m, n)    @param rtol  as in orr_lstsq
  !> @return   (…, n, m), owned by the current scope; poison and ORR_ENUMERIC as orr_lstsq.
  !> dtypes:   f32 f64 c64 c128.      cost: that of orr_lstsq with k = m.      grad: as orr_lstsq, for constant rank.
  function orr_pinv(a, rtol, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    class(*), intent(in) :: rtol
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_pinv(f_file(), place_line, f_of(a), f_real(rtol)), stat, errmsg)
    call f_drop(a)
  end function

  !> det A, the product of the pivots of an LU factorisation with their sign; 1 for order 0, 0 for a singular matrix.
  !> @param a  (…, n, n)
  !> @return   (…), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
  !> dtypes:   f32 f64 c64 c128; the product is formed in f64 (f32) or with a separate exponent (f64), so it overflows only where det A
  !>           does.
  !> cost:     2/3·n³ flop.
  !> grad:     g·det A·A⁻ᵀ. For a singular matrix the gradient exists but A⁻¹ does not: ORR_ENUMERIC.
  function orr_det(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_det(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> Sign and logarithm of the determinant, which neither overflow nor underflow. For symmetric positive definite matrices
  !> orr_logdet is faster.
  !> @param a  (…, n, n)
  !> dtypes:   f32 f64 c64 c128.      cost: 2/3·n³ flop.
  !> grad:     of logabsdet g·A⁻ᵀ (ORR_ENUMERIC for a singular matrix), of a real sign 0.
  subroutine orr_slogdet(a, sign, logabsdet, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(inout) :: sign
    type(orr_tensor), intent(inout) :: logabsdet
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_slogdet_result) :: s_r
    call c_slogdet(s_r, f_file(), place_line, f_of(a))
    call f_drop(a)
    call f_result(sign, s_r%sign)
    call f_result(logabsdet, s_r%logabsdet)
    call f_settle(c_tensor_status(s_r%sign), stat, errmsg)
  end subroutine

  !> The LU factorisation with partial pivoting. A singular matrix has one, with a 0 on the diagonal of U.
  !> @param a  (…, m, n)
  !> dtypes:   f32 f64 c64 c128.      cost: m·n·k − … ≈ 2/3·n³ flop for square ones.
  !> grad:     for full rank, p held fixed: square and wide A[p] = L·[U₁ U₂]: dA₁[p] = L⁻ᵀ(tril(LᵀdL − dU₂U₂ᵀ, −1) + triu(dU₁U₁ᵀ))U₁⁻ᵀ,
  !>           dA₂[p] = L⁻ᵀdU₂; tall ones likewise. A 0 on the diagonal of U is ORR_ENUMERIC there. Source: de Hoog, Anderssen and Lukas,
  !>           "Differentiation of matrix functionals using triangular factorization", Mathematics of Computation 80, 2011.
  subroutine orr_lu(a, p, l, u, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(inout) :: p
    type(orr_tensor), intent(inout) :: l
    type(orr_tensor), intent(inout) :: u
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_lu_result) :: s_r
    call c_lu(s_r, f_file(), place_line, f_of(a))
    call f_drop(a)
    call f_result(p, s_r%p)
    call f_result(l, s_r%l)
    call f_result(u, s_r%u)
    call f_settle(c_tensor_status(s_r%p), stat, errmsg)
  end subroutine

  !> The QR factorisation by Householder's reflections. Signs are LAPACK's: the diagonal of R is real and may be negative.
  !> @param a         (…, m, n)
  !> @param complete  Q is square
  !> dtypes:   f32 f64 c64 c128.      cost: 4·m·n² − 4/3·n³ flop for m ≥ n.
  !> grad:     m ≥ n: (dQ + Q·copyltu(R·dRᵀ − dQᵀ·Q))·R⁻ᵀ, copyltu(M) the symmetric matrix of M's lower triangle; wide ones by their
  !>           leading square. For linearly independent leading columns: a 0 on the diagonal of R is ORR_ENUMERIC. With complete and
  !>           m > n the additional columns are not unique and there is no gradient: ORR_EGRAPH. Sources: Walter and Lehmann,
  !>           "Algorithmic differentiation of linear algebra functions …", arXiv:1001.1654, 2010; Roberts and Roberts, "QR and LQ
  !>           decomposition matrix backpropagation algorithms …", arXiv:2009.10071, 2020.
  subroutine orr_qr(a, complete, q, r, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    logical, intent(in), optional :: complete
    type(orr_tensor), intent(inout) :: q
    type(orr_tensor), intent(inout) :: r
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_qr_result) :: s_r
    call c_qr(s_r, f_file(), place_line, f_of(a), f_bool(complete))
    call f_drop(a)
    call f_result(q, s_r%q)
    call f_result(r, s_r%r)
    call f_settle(c_tensor_status(s_r%q), stat, errmsg)
  end subroutine

  !> The singular value decomposition, by divide and conquer. The signs of a pair of vectors, for complex ones the phases, are arbitrary.
  !> @param a     (…, m, n)
  !> @param full  U and Vh are square
  !> dtypes:   f32 f64 c64 c128.      cost: ≈ 22·n³ flop for square ones.
  !> grad:     U[(F∘(UᵀdU − dUᵀU))·S + S·(F∘(VᵀdV − dVᵀV)) + diag(dS)]Vᵀ + (1 − UUᵀ)·dU·S⁻¹·Vᵀ + U·S⁻¹·dVᵀ·(1 − VVᵀ),
  !>           F_ij = 1/(s_j² − s_i²). Where two singular values are equal up to rounding, or one is 0, the vectors are not unique:
  !>           functions that do not depend on the choice (of S alone, U·diag(S)·Vh) get the limit, which the cotangents' own
  !>           derivative by S gives; for others such terms are infinite or NaN, also where the graph behind the result has more
  !>           than 4096 operations. With full and m ≠ n, U and Vh have no gradient (ORR_EGRAPH). Source: Townsend, "Differentiating the singular
  !>           value decomposition", 2016; Giles, "Collected matrix derivative results …", 2008.
  subroutine orr_svd(a, full, u, s, vh, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    logical, intent(in), optional :: full
    type(orr_tensor), intent(inout) :: u
    type(orr_tensor), intent(inout) :: s
    type(orr_tensor), intent(inout) :: vh
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_svd_result) :: s_r
    call c_svd(s_r, f_file(), place_line, f_of(a), f_bool(full))
    call f_drop(a)
    call f_result(u, s_r%u)
    call f_result(s, s_r%s)
    call f_result(vh, s_r%vh)
    call f_settle(c_tensor_status(s_r%u), stat, errmsg)
  end subroutine

  !> The singular values alone, descending.
  !> @param a  (…, m, n)
  !> @return   (…, min(m, n)), owned by the current scope; poison and ORR_ENUMERIC as orr_svd.
  !> dtypes:   f32 f64 c64 c128.      cost: ≈ 8/3·n³ flop.      grad: U·diag(g)·Vh, with U and Vh computed for it.
  function orr_svdvals(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_svdvals(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> Eigenvalues and eigenvectors of symmetric and Hermitian matrices, by divide and conquer. Only the lower triangles are read. The
  !> signs of the vectors are arbitrary.
  !> @param a  (…, n, n)
  !> dtypes:   f32 f64 c64 c128.      cost: ≈ 9·n³ flop.
  !> grad:     V(diag(dW) + F∘(VᵀdV))Vᵀ, F_ij = 1/(w_j − w_i), its symmetric part: for symmetric changes of A. Where two
  !>           eigenvalues are equal up to rounding their vectors are not unique: functions that do not depend on the choice (of W
  !>           alone, V·diag(φ(W))·Vᵀ) get the limit, as in orr_svd. Source: Giles, "Collected matrix derivative results …", 2008.
  subroutine orr_eigh(a, w, v, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(inout) :: w
    type(orr_tensor), intent(inout) :: v
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_eigh_result) :: s_r
    call c_eigh(s_r, f_file(), place_line, f_of(a))
    call f_drop(a)
    call f_result(w, s_r%w)
    call f_result(v, s_r%v)
    call f_settle(c_tensor_status(s_r%w), stat, errmsg)
  end subroutine

  !> The eigenvalues alone, ascending.
  !> @param a  (…, n, n), symmetric or Hermitian: the lower triangles are read
  !> @return   (…, n), owned by the current scope; poison and ORR_ENUMERIC as orr_eigh.
  !> dtypes:   f32 f64 c64 c128.      cost: ≈ 4/3·n³ flop.      grad: V·diag(g)·Vᵀ, with V computed for it.
  function orr_eigvalsh(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_eigvalsh(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> Eigenvalues and right eigenvectors of square matrices that need not be symmetric, by the QR algorithm.
  !> @param a  (…, n, n), real
  !> dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 25·n³ flop and more, by the number of iterations.
  !> grad:     the real part of V⁻ᴴ(diag(dW) + (VᴴdV − VᴴV·diag(Re VᴴdV))/conj(w_j − w_i))Vᴴ, cotangents without JAX's conjugation.
  !>           It holds for distinct eigenvalues and functions that do not depend on the phases of the vectors. Where two are equal,
  !>           terms have the limits of orr_eigh; a defective matrix has singular V: ORR_ENUMERIC. Source: Boeddeker, Hanebrink, Drude, Heymann and
  !>           Haeb-Umbach, "On the computation of complex-valued gradients …", arXiv:1701.00392, 2017.
  subroutine orr_eig(a, w, v, stat, errmsg)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(inout) :: w
    type(orr_tensor), intent(inout) :: v
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_eig_result) :: s_r
    call c_eig(s_r, f_file(), place_line, f_of(a))
    call f_drop(a)
    call f_result(w, s_r%w)
    call f_result(v, s_r%v)
    call f_settle(c_tensor_status(s_r%w), stat, errmsg)
  end subroutine

  !> The eigenvalues alone, in no order.
  !> @param a  (…, n, n), real
  !> @return   (…, n), complex, owned by the current scope; poison and ORR_ENUMERIC as orr_eig.
  !> dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 10·n³ flop.      grad: as orr_eig, with V computed for it.
  function orr_eigvals(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_eigvals(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> (Σ |x|ᵖ)^(1/p) over some axes, p = order: INFINITY is the largest |x|, −INFINITY the least, 0 the number of x ≠ 0.
  !> dtypes:   floats, c64 and c128, whose norm is real; f16 and bf16 are computed in f32. Errors: ORR_EDTYPE, ORR_EAXIS, ORR_EINVAL (order
  !>           is NaN), ORR_ESHAPE (the least of no elements).
  !> grad:     through the formula; 0 where the norm is 0 and 0 < p.      cost: one pass.
  function orr_vector_norm(x, axes, keepdims, order, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    logical, intent(in), optional :: keepdims
    class(*), intent(in) :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_vector_norm(f_file(), place_line, f_of(x), f_axes(axes), f_bool(keepdims), f_real(order)), stat, &
        errmsg)
    call f_drop(x)
  end function

  !> The norm of each matrix in the last two axes; 0 for an empty one.
  !> @param x  (…, m, n)
  !> @return   (…), or (…, 1, 1) with keepdims, owned by the current scope; poison on ORR_ESHAPE (also the least of nothing),
  !>           ORR_EDTYPE, ORR_EINVAL (no kind).
  !> dtypes:   f32 f64 c64 c128.      cost: one pass, or orr_svdvals.      grad: through the formula and orr_svdvals.
  function orr_matrix_norm(x, kind, keepdims, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(in), optional :: kind
    logical, intent(in), optional :: keepdims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_matrix_norm(f_file(), place_line, f_of(x), f_enum(kind), f_bool(keepdims)), stat, errmsg)
    call f_drop(x)
  end function

  !> The condition ‖A‖·‖A⁻¹‖ of each matrix, inf for a singular one; by ORR_NORM_TWO the quotient of the largest and the least singular
  !> value, inf for a matrix of zeros too.
  !> @param x  (…, m, n), square unless the kind is ORR_NORM_TWO or ORR_NORM_LEAST_TWO
  !> @return   (…), owned by the current scope; poison as orr_matrix_norm.
  !> dtypes:   f32 f64 c64 c128.      cost: orr_svdvals, or orr_lu and orr_inv.      grad: through them.
  function orr_cond(x, kind, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(in), optional :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cond(f_file(), place_line, f_of(x), f_enum(kind)), stat, errmsg)
    call f_drop(x)
  end function

  !> The number of singular values above rtol times the largest; rtol negative: max(m, n)·ε of the dtype.
  !> @param x  (…, m, n)
  !> @return   (…) i64, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN).
  !> dtypes:   f32 f64 c64 c128.      cost: orr_svdvals.      No gradient.
  function orr_matrix_rank(x, rtol, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: rtol
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_matrix_rank(f_file(), place_line, f_of(x), f_real(rtol)), stat, errmsg)
    call f_drop(x)
  end function

  !> The sum of diagonal number k of each matrix, which may be wide or tall; k > 0 above the main one.
  !> @param a  (…, m, n)
  !> @return   (…), of orr_sum's dtype, owned by the current scope; poison on ORR_ESHAPE.
  !> dtypes:   all.      grad: g on the diagonal.      cost: 1 per element of it.
  function orr_trace(a, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_trace(f_file(), place_line, f_of(a), f_int(k)), stat, errmsg)
    call f_drop(a)
  end function

  !> A^power by repeated squaring; power 0: the unit matrix; negative: a power of the inverse.
  !> @param a  (…, n, n)
  !> @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; ORR_ENUMERIC as orr_inv.
  !> dtypes:   f32 f64 c64 c128.      cost: ≤ 2·log₂ power products.      grad: through them.
  function orr_matrix_power(a, power, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    class(*), intent(in) :: power
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_matrix_power(f_file(), place_line, f_of(a), f_int(power)), stat, errmsg)
    call f_drop(a)
  end function

  !> e^A = Σ Aᵏ/k!, by scaling and squaring with the Padé approximant of degree 13. Source: Higham, "The scaling and squaring
  !> method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26, 2005.
  !> @param a  (…, n, n)
  !> @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; NaN and infinity in A are ORR_ENUMERIC.
  !> dtypes:   f32 f64 c64 c128.      cost: ≈ 15·n³ flop and 2·n³ for each factor of 2 by which ‖A‖₁ is above 5.4.
  !> grad:     the upper right block of exp [Aᵀ g; 0 Aᵀ]. Source: Mathias, "A chain rule for matrix functions and
  !>           applications", SIAM J. Matrix Anal. Appl. 17, 1996.
  function orr_expm(a, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_expm(f_file(), place_line, f_of(a)), stat, errmsg)
    call f_drop(a)
  end function

  !> The cross product of vectors of length 3 along `axis`, an axis of the broadcast shape.
  !> @return   the broadcast shape, owned by the current scope; poison on ORR_ESHAPE (another length), ORR_EAXIS, ORR_EDTYPE.
  !> dtypes:   numbers, promoted.      grad: through the products.      cost: 3 per element.
  function orr_cross(a, b, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cross(f_file(), place_line, f_of(a), f_of(b), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> Solves A · x = b for a symmetric positive definite operator by conjugate gradients. b may have any shape; all of its elements
  !> form one vector. Evaluates iteration by iteration. Lack of convergence is no error.
  !> @param user     the last argument of both operators
  !> @param options  NULL: defaults
  !> errors:   ORR_EINVAL (NULL, options out of range), ORR_EDTYPE (neither f32 nor f64), ORR_ESHAPE (the operator's result or the
  !>           start has another shape), ORR_ENUMERIC (xᵀ·A·x ≤ 0 or not a number: the operator is not positive definite); those of
  !>           orr_eval and of the operator. Then result->x is poison.
  !> cost:     a product with A, five passes over vectors for each iteration.      No gradient: x is a value. The gradient of a
  !>           solution is another solution (see orr_solve).
  !> Source: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
  subroutine orr_cg(a, user, b, options, x, residual, iterations, converged, stat, errmsg)
    type(c_funptr), intent(in) :: a
    type(c_ptr), intent(in), optional :: user
    type(orr_tensor), intent(in) :: b
    type(orr_iteration_options), intent(in), optional, target :: options
    type(orr_tensor), intent(inout) :: x
    real(c_double), intent(out) :: residual
    integer(c_int), intent(out) :: iterations
    logical(c_bool), intent(out) :: converged
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    type(c_ptr) :: p_options
    type(orr_cg_result), target :: s_result
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    status_ = c_cg(f_file(), place_line, a, p_user, f_of(b), p_options, c_loc(s_result))
    call f_drop(b)
    call f_result(x, s_result%x)
    residual = s_result%residual
    iterations = s_result%iterations
    converged = s_result%converged
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The k largest or least eigenvalues of a symmetric operator with their vectors, by the locally optimal block preconditioned
  !> conjugate gradient method. Each iteration orthonormalises the vectors, the residuals and the last changes together, so that
  !> linear dependence among them does no harm. Evaluates iteration by iteration. Lack of convergence is no error.
  !> @param a        called with (n, columns), up to 3·k columns
  !> @param start    (n, k), of full rank, for example random numbers
  !> @param largest  true: the largest eigenvalues; false: the least
  !> errors:   as orr_cg; ORR_ESHAPE (start is no matrix of at most n columns).
  !> cost:     a product of A with 3·k columns, a QR of n × 3·k for each iteration.      No gradient.
  !> Source: Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23, 2001; with the basis of Hetmaniuk and
  !> Lehoucq, "Basis selection in LOBPCG", 2006.
  subroutine orr_lobpcg(a, user, start, largest, options, w, v, residual, iterations, converged, stat, errmsg)
    type(c_funptr), intent(in) :: a
    type(c_ptr), intent(in), optional :: user
    type(orr_tensor), intent(in) :: start
    logical, intent(in), optional :: largest
    type(orr_iteration_options), intent(in), optional, target :: options
    type(orr_tensor), intent(inout) :: w
    type(orr_tensor), intent(inout) :: v
    real(c_double), intent(out) :: residual
    integer(c_int), intent(out) :: iterations
    logical(c_bool), intent(out) :: converged
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    type(c_ptr) :: p_options
    type(orr_lobpcg_result), target :: s_result
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    status_ = c_lobpcg(f_file(), place_line, a, p_user, f_of(start), f_bool(largest), p_options, c_loc(s_result))
    call f_drop(start)
    call f_result(w, s_result%w)
    call f_result(v, s_result%v)
    residual = s_result%residual
    iterations = s_result%iterations
    converged = s_result%converged
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The transform along one axis. @param x  real or complex    @param n  0: the axis's length
  !> dtypes: floats and complex numbers.
  function orr_fft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_fft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The inverse transform along one axis. dtypes: floats and complex numbers.
  function orr_ifft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ifft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The transform along several axes. @param n  lengths, one for each axis; ORR_NO_INDEX: as they are
  !> dtypes: floats and complex numbers.
  function orr_fftn(x, n, axes, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: n(:)
    class(*), intent(in), optional :: axes(:)
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_fftn(f_file(), place_line, f_of(x), f_index(n), f_axes(axes), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The inverse transform along several axes. dtypes: floats and complex numbers.
  function orr_ifftn(x, n, axes, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n(:)
    class(*), intent(in), optional :: axes(:)
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ifftn(f_file(), place_line, f_of(x), f_index(n), f_axes(axes), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The first n/2 + 1 elements of the transform of real x: the others are their conjugates. dtypes: floats.
  function orr_rfft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rfft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The real x whose transform begins with the given n/2 + 1 elements. n 0: 2·(m − 1) for m elements.
  !> dtypes: floats and complex numbers.
  function orr_irfft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_irfft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> orr_rfft along the last of the axes, orr_fft along the others. dtypes: floats.
  function orr_rfftn(x, n, axes, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n(:)
    class(*), intent(in), optional :: axes(:)
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rfftn(f_file(), place_line, f_of(x), f_index(n), f_axes(axes), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The inverse of orr_rfftn. The lengths belong to the result. dtypes: floats and complex numbers.
  function orr_irfftn(x, n, axes, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n(:)
    class(*), intent(in), optional :: axes(:)
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_irfftn(f_file(), place_line, f_of(x), f_index(n), f_axes(axes), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The transform, which is real, of x with x[−j] = conj(x[j]); the first n/2 + 1 elements of x are given.
  !> dtypes: floats and complex numbers.
  function orr_hfft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hfft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The inverse of orr_hfft. dtypes: floats.
  function orr_ihfft(x, n, axis, norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: n
    class(*), intent(in) :: axis
    integer, intent(in), optional :: norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ihfft(f_file(), place_line, f_of(x), f_int(n), int(f_int(axis), c_int), f_enum(norm)), stat, errmsg)
    call f_drop(x)
  end function

  !> The frequencies of orr_fft's elements, in cycles per unit, for samples d apart: [0, 1, …, −2, −1] / (n·d). dtype: a
  !> float.
  function orr_fftfreq(dtype, n, d, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    class(*), intent(in) :: d
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_fftfreq(f_file(), place_line, int(dtype, c_int), f_int(n), f_real(d)), stat, errmsg)
  end function

  !> The frequencies of orr_rfft's elements: [0, 1, …, n/2] / (n·d).
  function orr_rfftfreq(dtype, n, d, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    class(*), intent(in) :: d
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rfftfreq(f_file(), place_line, int(dtype, c_int), f_int(n), f_real(d)), stat, errmsg)
  end function

  !> Moves the frequency 0 to the middle of each axis. dtypes: all.      grad: orr_ifftshift of g.
  function orr_fftshift(x, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_fftshift(f_file(), place_line, f_of(x), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> Undoes orr_fftshift.
  function orr_ifftshift(x, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ifftshift(f_file(), place_line, f_of(x), f_axes(axes)), stat, errmsg)
    call f_drop(x)
  end function

  !> y[o] = Σ_j x[o − j]·w[j] over the last axes of x, as many as w has; the axes before are a batch. A kernel with a known value
  !> of rank 1 (w = u ⊗ v) is applied axis by axis; few taps are one sum over shifted x, many use transforms.
  !> @param x  (…, n…)    @param w  1 to 3 axes
  !> @return   poison on ORR_ESHAPE (ranks; VALID with n < k), ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   f32 f64 c64 c128, promoted.      grad: that of its parts.      cost: 2 flop a tap, or some 15·log₂ n an element.
  function orr_convolve(x, w, mode, boundary, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: w
    integer, intent(in), optional :: mode
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_convolve(f_file(), place_line, f_of(x), f_of(w), f_enum(mode), f_enum(boundary)), stat, errmsg)
    call f_drop(x)
    call f_drop(w)
  end function

  !> y[o] = Σ_j x[o + j]·conj(w[j]), the elements in the order of orr_convolve with w reversed.
  function orr_correlate(x, w, mode, boundary, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: w
    integer, intent(in), optional :: mode
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_correlate(f_file(), place_line, f_of(x), f_of(w), f_enum(mode), f_enum(boundary)), stat, errmsg)
    call f_drop(x)
    call f_drop(w)
  end function

  !> Windows of n ≥ 1 values, symmetric: the first equals the last. A window for orr_fft is periodic: n + 1 values without the
  !> last one. dtype: a float; errors: ORR_EDTYPE, ORR_EINVAL.
  function orr_bartlett(dtype, n, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bartlett(f_file(), place_line, int(dtype, c_int), f_int(n)), stat, errmsg)
  end function

  !> ½ − ½·cos(2πk/(n−1))
  function orr_hann(dtype, n, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hann(f_file(), place_line, int(dtype, c_int), f_int(n)), stat, errmsg)
  end function

  !> 0.54 − 0.46·cos(2πk/(n−1))
  function orr_hamming(dtype, n, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hamming(f_file(), place_line, int(dtype, c_int), f_int(n)), stat, errmsg)
  end function

  !> 0.42 − 0.5·cos(2πk/(n−1)) + 0.08·cos(4πk/(n−1))
  function orr_blackman(dtype, n, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_blackman(f_file(), place_line, int(dtype, c_int), f_int(n)), stat, errmsg)
  end function

  !> I₀(β·√(1 − (2k/(n−1) − 1)²)) / I₀(β)
  function orr_kaiser(dtype, n, beta, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: n
    class(*), intent(in) :: beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_kaiser(f_file(), place_line, int(dtype, c_int), f_int(n), f_real(beta)), stat, errmsg)
  end function

  !> The piecewise linear function through (xp[i], fp[i]) at x; fp[0] before xp[0], fp[n−1] after xp[n−1].
  !> @param xp  (n), ascending, n ≥ 1: points that fall are an error of evaluation (ORR_EINVAL)    @param fp  (n)
  !> dtypes:   f32 f64, the same for all.      grad: by x and fp; none by xp.      cost: log₂ n steps an element.
  function orr_interp(x, xp, fp, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: xp
    type(orr_tensor), intent(in) :: fp
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_interp(f_file(), place_line, f_of(x), f_of(xp), f_of(fp)), stat, errmsg)
    call f_drop(x)
    call f_drop(xp)
    call f_drop(fp)
  end function

  !> Restarts this thread's streams from `seed`.
  subroutine orr_seed(seed)
    class(*), intent(in) :: seed
    call c_seed(f_int(seed))
  end subroutine

  !> Uniform numbers in [lo, hi), the ends as numbers of the dtype.
  !> dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (lo > hi; an end or their distance is not finite in the dtype),
  !>           ORR_ESHAPE.
  function orr_rand(dtype, shape, lo, hi, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: lo
    class(*), intent(in) :: hi
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rand(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(lo), f_real(hi)), stat, errmsg)
  end function

  !> Normal numbers with this mean and standard deviation.
  !> dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (std < 0, not finite), ORR_ESHAPE.
  function orr_randn(dtype, shape, mean, std, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: mean
    class(*), intent(in) :: std
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_randn(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(mean), f_real(std)), stat, &
        errmsg)
  end function

  !> Integers lo … hi−1, each equally likely.
  !> dtypes:   integers (ORR_EDTYPE, also where the dtype does not hold lo or hi−1). Errors: ORR_EINVAL (hi ≤ lo),
  !>           ORR_ESHAPE.
  function orr_randint(dtype, shape, lo, hi, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: lo
    class(*), intent(in) :: hi
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_randint(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_int(lo), f_int(hi)), stat, errmsg)
  end function

  !> The numbers 0 … n−1 in random order, i64, shape (n). Errors: ORR_ESHAPE (n < 0).
  function orr_permutation(n, stat, errmsg) result(r_)
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_permutation(f_file(), place_line, f_int(n)), stat, errmsg)
  end function

  !> True with probability p (in steps of 2⁻²⁴), bool. Errors: ORR_EINVAL (p not in 0 … 1), ORR_ESHAPE.
  function orr_bernoulli(shape, p, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_bernoulli(f_file(), place_line, f_shape(shape), f_real(p)), stat, errmsg)
  end function

  !> Exponential numbers with mean `scale`.
  !> dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (scale < 0, not finite), ORR_ESHAPE.
  function orr_exponential(dtype, shape, scale, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: scale
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_exponential(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(scale)), stat, errmsg)
  end function

  !> Gamma numbers: density x^(alpha−1) e^(−x/scale). Marsaglia and Tsang, "A simple method for generating gamma variables",
  !> 2000.
  !> @param alpha  > 0     @param scale  a factor; it has a gradient
  !> dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
  function orr_gamma(dtype, shape, alpha, scale, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: alpha
    type(orr_tensor), intent(in) :: scale
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_gamma(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_of(alpha), f_of(scale)), stat, &
        errmsg)
    call f_drop(alpha)
    call f_drop(scale)
  end function

  !> Beta numbers: density x^(a−1) (1−x)^(b−1), of two gamma numbers.
  !> @param a, b  > 0
  !> dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
  function orr_beta(dtype, shape, a, b, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_beta(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_of(a), f_of(b)), stat, errmsg)
    call f_drop(a)
    call f_drop(b)
  end function

  !> Poisson numbers: counts of events with mean `rate`. By inversion; from 10 on by Hörmann's transformed rejection,
  !> 1993.
  !> @param rate  0 … 2⁶⁰
  !> dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
  function orr_poisson(dtype, shape, rate, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: rate
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_poisson(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_of(rate)), stat, errmsg)
    call f_drop(rate)
  end function

  !> Binomial numbers: the successes of `trials` trials, each with probability p. By inversion, or Hörmann's BTRS, 1993,
  !> where inversion takes long.
  !> @param trials  whole numbers 0 … 2⁵³     @param p  0 … 1
  !> dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
  function orr_binomial(dtype, shape, trials, p, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: trials
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_binomial(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_of(trials), f_of(p)), stat, &
        errmsg)
    call f_drop(trials)
    call f_drop(p)
  end function

  !> The counts of `trials` trials in k categories, with probabilities in the ratio of the weights.
  !> @param weights  (…, k), which broadcasts to the result. Evaluation refuses negative weights, NaN, infinities, and rows
  !>           of zeros only (ORR_EINVAL).
  !> @return   (shape…, k), i64; each row adds up to `trials`. Errors: ORR_EINVAL, ORR_ESHAPE.
  function orr_multinomial(shape, trials, weights, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: trials
    type(orr_tensor), intent(in) :: weights
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_multinomial(f_file(), place_line, f_shape(shape), f_int(trials), f_of(weights)), stat, errmsg)
    call f_drop(weights)
  end function

  !> Numbers 0 … k−1 with probabilities in the ratio of k weights, in independent draws (with replacement).
  !> @param weights  (k), refused as those of orr_multinomial
  !> @return   i64. Errors: ORR_ESHAPE.
  function orr_categorical(shape, weights, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: weights
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_categorical(f_file(), place_line, f_shape(shape), f_of(weights)), stat, errmsg)
    call f_drop(weights)
  end function

  !> k different numbers of 0 … n−1 in random order, each choice equally likely, i64. Errors: ORR_EINVAL (k above n).
  function orr_choice(n, k, stat, errmsg) result(r_)
    class(*), intent(in) :: n
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_choice(f_file(), place_line, f_int(n), f_int(k)), stat, errmsg)
  end function

  !> k different places of n weights, i64: the first with probabilities in their ratio, the next in the ratio of those that are
  !> left. Places of weight 0 come last. Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006.
  !> @param weights  (n), refused as those of orr_multinomial. Errors: ORR_EINVAL (k above n), ORR_ESHAPE.
  function orr_choice_weighted(weights, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: weights
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_choice_weighted(f_file(), place_line, f_of(weights), f_int(k)), stat, errmsg)
    call f_drop(weights)
  end function

  !> Normal numbers of d variables with this mean and covariance: mean + L·z with L = orr_cholesky(covariance).
  !> @param mean  (d)     @param covariance  (d, d), positive definite (else ORR_ENUMERIC by evaluation), f32 or f64
  !> @return   (shape…, d). Errors: ORR_ESHAPE, ORR_EDTYPE. grad: by mean and covariance, for fixed z.
  function orr_multivariate_normal(shape, mean, covariance, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    type(orr_tensor), intent(in) :: mean
    type(orr_tensor), intent(in) :: covariance
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_multivariate_normal(f_file(), place_line, f_shape(shape), f_of(mean), f_of(covariance)), stat, errmsg)
    call f_drop(mean)
    call f_drop(covariance)
  end function

  !> x with the places of an axis in random order; the pieces along the other axes stay whole.
  !> dtypes:   all. Errors: ORR_EAXIS. grad: g at the former places of the pieces.
  function orr_shuffle(x, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_shuffle(f_file(), place_line, f_of(x), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> Like orr_rand and orr_randn, from a stream that depends on `key` alone; this thread's streams do not advance.
  function orr_rand_keyed(dtype, shape, lo, hi, key, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: lo
    class(*), intent(in) :: hi
    class(*), intent(in) :: key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rand_keyed(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(lo), f_real(hi), &
        f_int(key)), stat, errmsg)
  end function

  !> As the function before it in orrery/random.h.
  function orr_randn_keyed(dtype, shape, mean, std, key, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    class(*), intent(in) :: mean
    class(*), intent(in) :: std
    class(*), intent(in) :: key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_randn_keyed(f_file(), place_line, int(dtype, c_int), f_shape(shape), f_real(mean), f_real(std), &
        f_int(key)), stat, errmsg)
  end function

  !> Defines an element-wise operation r = expression(x, y, z) and lets Orrery differentiate it; orr_define_elementwise_with
  !> takes the derivatives from the caller.
  !>     orr_define_elementwise("swish2", 1, "x * sigmoid(2*x)")
  !>     orr_define_elementwise_with("pinball", 2, "x > 0 ? y*x : (y-1)*x", ORR_TEXTS("g*(x > 0 ? y : y-1)", "g*x"))
  !> A derivative is an expression in x y z, the result r and the cotangent g, and includes the factor g; "" if no gradient
  !> flows.
  !>
  !> The language (spaces are free; numbers have a decimal point in every locale):
  !>
  !>     expr    = or [ "?" expr ":" expr ]
  !>     or      = and { "||" and }
  !>     and     = compare { "&&" compare }
  !>     compare = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
  !>     sum     = term { ( "+" | "-" ) term }
  !>     term    = unary { ( "*" | "/" ) unary }
  !>     unary   = ( "-" | "!" ) unary | number | name | function "(" expr { "," expr } ")" | "(" expr ")"
  !>     number  = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
  !>     name    = "x" | "y" | "z", as many as the arity; in derivatives also "r" | "g"
  !>
  !> A function is any row of docs/ops.md that takes floats or truth values (exp, where, maximum, isnan …), or an op that was
  !> defined before. Comparisons give truth values, which only ? && || ! == != and such rows take. There are no statements,
  !> assignments, or calls of C; the parser refuses all else and reports the column. No compiler sees the text: it becomes
  !> nodes of built-in rows, so the function exists on every device and in every dialect.
  !>
  !> @param arity  1, 2 or 3    @param derivatives  one for each operand; n_derivatives 0: automatic
  !> @return   the op, for orr_apply; NULL on ORR_EINVAL (the message has column and reason), ORR_ENOMEM.
  !> dtypes:   f16 bf16 f32 f64, promoted and broadcast as by the built-in functions; f16 and bf16 are computed in f32 and
  !>           rounded once. If the result is a truth value, the tensor is bool and has no derivative.
  !> limits:   256 terms and 48 levels in a text of 16 KiB, 512 operations including called ops, calls nested 16 deep.
  function orr_define_elementwise(name, arity, expression, derivatives, stat, errmsg) result(r_)
    character(*), intent(in) :: name
    class(*), intent(in) :: arity
    character(*), intent(in) :: expression
    character(*), intent(in), optional :: derivatives(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_op) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    character(kind=c_char, len=:), allocatable, target :: t_expression
    type(c_ptr) :: p_expression
    character(kind=c_char), allocatable, target :: t_derivatives(:, :)
    type(c_ptr), allocatable, target :: p_derivatives(:)
    integer :: n_derivatives
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    p_expression = c_null_ptr
    t_expression = trim(expression) // c_null_char
    p_expression = c_loc(t_expression)
    n_derivatives = 0
    if (present(derivatives)) n_derivatives = ubound(derivatives, 1)
    allocate (p_derivatives(max(1, n_derivatives)))
    if (n_derivatives > 0) call f_texts(derivatives, t_derivatives, p_derivatives)
    r_%p = c_define_elementwise(f_file(), place_line, p_name, int(f_int(arity), c_int), p_expression, c_loc(p_derivatives), &
        int(n_derivatives, c_int))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Called as orr_expression(text, ORR_TENSORS(x, y)). The same language without a definition: the value of `text` for each
  !> element of the n operands x, y, z, as orr_apply computes it for a defined op. No definition is stored, so the number of
  !> texts is not limited.
  !> @return   a tensor owned by the current scope; poison on ORR_EINVAL (the message has the error and its column),
  !>           ORR_EDTYPE, ORR_ESHAPE, ORR_ENOMEM.
  !> grad:     the expression differentiated.      effects:  lazy. Safe from any thread.
  function orr_expression(text, x, stat, errmsg) result(r_)
    character(*), intent(in) :: text
    type(orr_tensor), intent(in) :: x(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_text
    type(c_ptr) :: p_text
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    p_text = c_null_ptr
    t_text = trim(text) // c_null_char
    p_text = c_loc(t_text)
    call f_all(x, p_x)
    call f_made(r_, c_expression(f_file(), place_line, p_text, c_loc(p_x), int(ubound(x, 1), c_int)), stat, errmsg)
    call f_drop_all(x)
  end function

  !> Defines a kernel of the program's own as an operation.
  !> An evaluation runs it as a step by itself, between fused ones, on the backend that StarPU expects to be fastest. An
  !> error of the C function or the device compiler fails the evaluation with its message (ORR_EDEVICE). If there is a C
  !> function, it replaces a device text that does not compile, with one log line.
  !> @return   the op, for orr_apply; NULL on ORR_EINVAL (the message names the field and the reason), ORR_ENOMEM.
  function orr_define_kernel(def, stat, errmsg) result(r_)
    type(orr_kernel_def), intent(in), optional, target :: def
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_op) :: r_
    type(c_ptr) :: p_def
    integer(c_int) :: status_
    p_def = c_null_ptr
    if (present(def)) p_def = c_loc(def)
    r_%p = c_define_kernel(f_file(), place_line, p_def)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Applies an op of the program's own: orr_apply(op, ORR_TENSORS(x, y)), or for a kernel that takes numbers
  !> orr_apply_with(op, ORR_TENSORS(x, y), ORR_PARAMS(0.5, 2)). New numbers need no new plan.
  !> @return   a tensor owned by the current scope; poison on ORR_EINVAL (no op, another number of operands or params),
  !>           ORR_EDTYPE, ORR_ESHAPE.
  !> grad:     as defined.      effects:  lazy. Safe from any thread.
  function orr_apply(op, x, params, stat, errmsg) result(r_)
    type(orr_op), intent(in) :: op
    type(orr_tensor), intent(in) :: x(:)
    real(c_double), intent(in), target, contiguous, optional :: params(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr) :: p_params
    integer :: n_params
    call f_all(x, p_x)
    n_params = 0
    p_params = c_null_ptr
    if (present(params)) then
      n_params = ubound(params, 1)
      p_params = c_loc(params)
    end if
    call f_made(r_, c_apply(f_file(), place_line, op%p, c_loc(p_x), int(ubound(x, 1), c_int), p_params, int(n_params, &
        c_int)), stat, errmsg)
    call f_drop_all(x)
  end function

  !> Returns the op of this name; NULL, without an error, if there is none.
  function orr_op_find(name) result(r_)
    character(*), intent(in) :: name
    type(orr_op) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    r_%p = c_op_find(p_name)
  end function

  !> Returns the name of an op, valid for ever; NULL for any other pointer.
  function orr_op_name(op) result(r_)
    type(orr_op), intent(in) :: op
    character(:), allocatable :: r_
    r_ = f_string(c_op_name(op%p))
  end function

  !> Returns the number of operands; −1 for any other pointer.
  function orr_op_arity(op) result(r_)
    type(orr_op), intent(in) :: op
    integer(c_int) :: r_
    r_ = c_op_arity(op%p)
  end function

  !> Waits for work under way, frees all tensors and scopes of all threads, stops the workers. orr_init may follow.
  !> A warning in the log counts the tensors that no scope owned (variables apart) and the events that were never ended.
  !> A program may end without it, from any thread and with work under way: exit then stops the workers, and does not wait for
  !> results.
  !> errors:   ORR_ESTATE (not started; called by a kernel's function).
  !> threads:  no other thread may be inside the library.
  subroutine orr_shutdown(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_shutdown()
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Gives the cores to the program: waits for the work under way and for compilers, after which the library's threads sleep.
  !> Until the orr_resume of each orr_pause, an evaluation runs on its calling thread alone, an asynchronous one before the call returns, and
  !> no kernel is compiled but with ORRERY_JIT=wait. Workers wake for what only they can do, until that has ended: copies from and to devices,
  !> operations that only a device has, factorisations over ranks. Without a pause, workers sleep 2 ms after the last evaluation; a pause
  !> saves these, and keeps short evaluations between parallel regions of the program from waking them (docs/embedding.md).
  !> errors:   ORR_ESTATE (not started; called by a kernel's function).
  !> threads:  safe from any thread.
  subroutine orr_pause(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_pause()
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Ends the pause of one orr_pause: the next evaluation that gains by it wakes the workers.
  !> errors:   ORR_ESTATE (no orr_pause before it).
  !> threads:  safe from any thread.
  subroutine orr_resume(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_resume()
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Version of the library in use, "major.minor.patch".
  function orr_version() result(r_)
    character(:), allocatable :: r_
    r_ = f_string(c_version())
  end function

  !> Computes `t` and this thread's pending assignments, and waits for `t`.
  !> Afterwards `t` holds its value, and the tensors that it was computed from may be freed. Of these, tensors that the program
  !> still holds keep no value: a later evaluation computes them again, a random one with the same numbers. The third evaluation
  !> that needs one keeps its value if that costs less than computing it once more. If they are
  !> needed again, request them together by orr_eval_all. New values of variables may
  !> still be in computation on return; a reader waits for them. If such a computation fails, the variable has no value
  !> until its next assignment, and reading it gives the error. Kernels run in IEEE 754's default mode (to nearest,
  !> gradual underflow unless flush_denormals, no traps), whatever mode this thread is in.
  !> errors:   the error of a poison, ORR_ESTATE, ORR_ENOMEM, ORR_EINDEX, ORR_ENUMERIC, ORR_EDEVICE.
  !> threads:  safe from any thread, but ORR_ESTATE in functions that an evaluation calls: of a kernel, or for the release of memory.
  subroutine orr_eval(t, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_eval(f_file(), place_line, f_of(t))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Computes `t` if that is a known plan of one small step, some 100 µs at most, which this thread runs without a wait; else does nothing.
  !> A binding of a language whose lock is held while C runs calls it first, since releasing the lock may take longer than such a step.
  !> @return   true: t has its value. false, also for every error: call orr_eval.
  !> threads:  safe from any thread.
  function orr_eval_brief(t) result(r_)
    type(orr_tensor), intent(in) :: t
    logical :: r_
    r_ = logical(c_eval_brief(f_file(), place_line, f_of(t)))
    call f_drop(t)
  end function

  !> Computes several tensors at once, and shared subexpressions once: orr_eval_all(ORR_TENSORS(x, y)). n may be 0:
  !> only the pending assignments. It then waits for all new values of this thread's variables, also for those that were
  !> submitted before because much work was pending (orr_assign).
  !> errors:   as orr_eval; ORR_EINVAL (n is negative, the list is NULL).
  !> threads:  safe from any thread.
  subroutine orr_eval_all(t, stat, errmsg)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    call f_all(t, p_t)
    status_ = c_eval_all(f_file(), place_line, c_loc(p_t), int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates `t` like orr_eval, and checks that it has neither NaN nor infinity.
  !> If it has, the ancestors of `t` are computed again, and the message has the line, operation and element that made the first such number from
  !> finite ones, and the numbers that an element-wise operation had. Of several such lines, the first recorded one is named. A value
  !> that overwrites no number of a result is not seen: a NaN that `orr_where` drops, for example. `t` keeps its value.
  !> ORRERY_CHECK=nonfinite does this for all evaluations and submissions; it logs the message once for each line instead of an error. Over ranks
  !> the check is collective, as the evaluation is, and every rank has the message.
  !> errors:   ORR_ENUMERIC (not finite; if `t` was evaluated before, the message has no line), those of orr_eval.
  !> threads:  safe from any thread; blocks.
  subroutine orr_check(t, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_check(f_file(), place_line, f_of(t))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Compiles every kernel that the evaluation of `t` needs, waits for that, and computes nothing.
  !> Afterwards orr_eval(t), and any graph with the same kernels, runs at full speed from the first evaluation on. With
  !> ORRERY_JIT=off, or without a compiler, the call does nothing.
  !> errors:   as orr_eval before it runs.
  !> threads:  safe from any thread.
  subroutine orr_warmup(t, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_warmup(f_file(), place_line, f_of(t))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Submits an evaluation like orr_eval_all and returns before it ends. The caller must pass *event to orr_wait.
  !> errors:   as orr_eval_all, as far as they are known at submission; then *event is NULL.
  !> threads:  safe from any thread.
  subroutine orr_eval_async(t, event, stat, errmsg)
    type(orr_tensor), intent(in) :: t(:)
    type(orr_event), intent(inout) :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    type(c_ptr), target :: p_event
    integer(c_int) :: status_
    call f_all(t, p_t)
    p_event = c_null_ptr
    status_ = c_eval_async(f_file(), place_line, c_loc(p_t), int(ubound(t, 1), c_int), c_loc(p_event))
    call f_drop_all(t)
    event%p = p_event
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Waits for the evaluation, frees the event, and returns the evaluation's status. After an error that was not known at submission, the
  !> variables whose new values it would have computed have their old ones, as after orr_cancel.
  !> errors:   that status; ORR_EINVAL (NULL), ORR_EHANDLE (a second time).
  !> threads:  safe from any thread; of several callers one waits, the others get ORR_EHANDLE.
  subroutine orr_wait(event, stat, errmsg)
    type(orr_event), intent(in) :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_wait(f_file(), place_line, event%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_read without a wait: submits the evaluation of `t`, and orr_wait(event) copies the value to `buf`, which belongs to the call until
  !> then. `t` may be freed at once.
  !> errors:   as orr_read and orr_eval_async; then *event is NULL.
  !> threads:  safe from any thread.
  subroutine orr_read_async(t, buf, bytes, event, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    type(c_ptr), intent(in) :: buf
    class(*), intent(in) :: bytes
    type(orr_event), intent(inout) :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_event
    integer(c_int) :: status_
    p_event = c_null_ptr
    status_ = c_read_async(f_file(), place_line, f_of(t), buf, int(f_int(bytes), c_size_t), c_loc(p_event))
    call f_drop(t)
    event%p = p_event
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns whether the evaluation has ended, or was waited for. Neither blocks nor frees.
  !> threads:  safe from any thread.
  function orr_event_done(event) result(r_)
    type(orr_event), intent(in) :: event
    logical :: r_
    r_ = logical(c_event_done(event%p))
  end function

  !> Cancels the evaluation of an event, or a stretch of calls (orr_cancellable_begin), and returns at once. Tasks that have begun end, the
  !> others do not run. Values that are not computed then give ORR_ECANCELLED to orr_wait and to every reader; orr_wait is still called.
  !> An evaluation that has ended stays as it is. One that computes new values of variables leaves all of them as they were before their
  !> assignments, or, if it ends before it is stopped, has assigned all. Old values therefore stay in memory until it has ended; new
  !> ones that an earlier evaluation without an event was refused memory for are computed in any case. A tensor that
  !> was recorded from such a new value, and is not computed yet, gives ORR_ECANCELLED with the line of the assignment: record it again.
  !> A pending assignment of such a tensor does, too, in the next evaluation, and its variable keeps its old value.
  !> With several ranks the variables have their old values from orr_wait on, at the same place in the program on each.
  !> An evaluation over ranks ends on all of them, each of which gets ORR_ECANCELLED: one rank need cancel it. Its exchanges take place
  !> all the same, so that no rank waits for another.
  !> errors:   ORR_EINVAL (NULL), ORR_EHANDLE (the wait for it has ended).
  !> threads:  safe from any thread, also while another one waits, and from the function of orr_progress_to.
  subroutine orr_cancel(event, stat, errmsg)
    type(orr_event), intent(in) :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_cancel(f_file(), place_line, event%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Computes `t` like orr_eval, in `seconds` from now on at most, except that work that has begun then ends: within some 10 ms on a
  !> processor, longer if it is one call of a library (a large product, a factorisation, a sort) or of a function of the program. The wait
  !> for values that other evaluations compute ends, too. After ORR_ECANCELLED nothing has changed: `t` has no value, this thread's
  !> assignments are pending, and a later evaluation computes all of it. Old values of variables stay in memory until it has ended.
  !> Over ranks the first limit that passes counts for all, also for those that called orr_eval: each gets ORR_ECANCELLED.
  !> @param seconds  0 or more; INFINITY: no limit
  !> errors:   as orr_eval; ORR_ECANCELLED; ORR_EINVAL (the limit is negative or NaN).
  !> threads:  safe from any thread.
  subroutine orr_eval_for(t, seconds, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    class(*), intent(in) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_eval_for(f_file(), place_line, f_of(t), f_real(seconds))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Begins a stretch of this thread's calls that another thread can cancel by orr_cancel(event), and that a time limit ends: in between,
  !> every call that evaluates (orr_eval, orr_read, orr_cg, …) is bounded as by orr_eval_for, and gives ORR_ECANCELLED once the stretch is
  !> cancelled or `seconds` have passed. Stretches nest; the first that ends counts. Work submitted in a stretch without a wait stays bound
  !> after its end. Pending work that the library submits by itself (orr_assign) is not bound.
  !> @return   to be given to orr_cancellable_end of the same thread, not to orr_wait; NULL on ORR_EINVAL (the limit is negative or NaN),
  !>           ORR_ENOMEM.
  !> threads:  safe from any thread.
  function orr_cancellable_begin(seconds, stat, errmsg) result(r_)
    class(*), intent(in) :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_event) :: r_
    integer(c_int) :: status_
    r_%p = c_cancellable_begin(f_file(), place_line, f_real(seconds))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Ends the innermost stretch of this thread, and frees the event.
  !> errors:   ORR_EINVAL (NULL; the event of an evaluation; not this thread's innermost stretch), ORR_EHANDLE (a second time).
  !> threads:  the one that began the stretch.
  subroutine orr_cancellable_end(event, stat, errmsg)
    type(orr_event), intent(in) :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_cancellable_end(f_file(), place_line, event%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reports the progress of evaluations to `fn`: by each thread that waits for one, ten times a second at most and one call at a time. An
  !> evaluation of less than a tenth of a second is not reported; another one ends with done = planned unless it fails. NULL: no reports,
  !> which is the default. When it returns, the former function is not called any more, unless a call of it has called this. Errors: none.
  !> threads:  safe from any thread, also before orr_init.
  subroutine orr_progress_to(fn, user)
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    type(c_ptr) :: p_user
    p_user = c_null_ptr
    if (present(user)) p_user = user
    call c_progress_to(fn, p_user)
  end subroutine

  !> Computes results[i] = fn(items[i], i, user) for i = 0 … n − 1 as independent graphs, with all workers busy.
  !> Items may differ in shape and cost; equal graphs share one plan. Random functions in fn draw in the order of the
  !> items. If one item fails, the others are still computed. A poison from fn stays in results[i]; after a failed
  !> evaluation, reading results[i] gives the error; NULL stays NULL.
  !> @return   the error of the first failed item. results[i] are evaluated and owned by the current scope; other
  !>           tensors that fn makes are freed.
  !> errors:   ORR_EINVAL, ORR_ESTATE, and those of orr_eval.
  !> threads:  safe from any thread; blocks.
  subroutine orr_par_map(fn, items, user, results, stat, errmsg)
    type(c_funptr), intent(in) :: fn
    type(orr_tensor), intent(in) :: items(:)
    type(c_ptr), intent(in), optional :: user
    type(orr_tensor), intent(inout) :: results(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_items(max(1, ubound(items, 1)))
    type(c_ptr) :: p_user
    type(c_ptr), target :: p_results(max(1, ubound(results, 1)))
    integer(c_int) :: status_
    call f_all(items, p_items)
    p_user = c_null_ptr
    if (present(user)) p_user = user
    p_results = c_null_ptr
    status_ = c_par_map(f_file(), place_line, int(f_length(ubound(items, 1), ubound(results, 1)), c_int64_t), fn, &
        c_loc(p_items), p_user, c_loc(p_results))
    call f_drop_all(items)
    call f_results(results, p_results)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A stand-in for a value that is given at submission.
  !> @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
  function orr_placeholder(dtype, shape, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_placeholder(f_file(), place_line, int(dtype, c_int), f_shape(shape)), stat, errmsg)
  end function

  !> Plans `outputs` as a function of the placeholders `inputs`.
  !> Other tensors that the outputs reach are captured: constants by value, variables by name, so that their values are read at
  !> each submission. Random numbers are those of the recording in each submission; noise of differential privacy is refused
  !> (ORR_EGRAPH). If any of them, or a value at submission, is distributed over ranks, all ranks build and submit the graph in
  !> the same way; its results are distributed as those of orr_eval.
  !> @return   to be freed with orr_graph_free; NULL on ORR_EGRAPH (a placeholder is missing in `inputs`; an input is
  !>           no placeholder, or occurs twice), ORR_EINVAL, ORR_ENOMEM.
  function orr_graph_build(inputs, outputs, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: inputs(:)
    type(orr_tensor), intent(in) :: outputs(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_graph) :: r_
    type(c_ptr), target :: p_inputs(max(1, ubound(inputs, 1)))
    type(c_ptr), target :: p_outputs(max(1, ubound(outputs, 1)))
    integer(c_int) :: status_
    call f_all(inputs, p_inputs)
    call f_all(outputs, p_outputs)
    r_%p = c_graph_build(f_file(), place_line, c_loc(p_inputs), int(ubound(inputs, 1), c_int), c_loc(p_outputs), &
        int(ubound(outputs, 1), c_int))
    call f_drop_all(inputs)
    call f_drop_all(outputs)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Runs the graph on `values`, one per input, of its shape and dtype. results[i], one per output, becomes a new tensor of the
  !> current scope.
  !> event NULL: waits for the results; else returns when the work is submitted. Values may be results of submissions under way,
  !> which are not waited for: the work begins after theirs, and a failure is passed on. They may be freed at once.
  !> errors:   as orr_eval; ORR_EINVAL (a list of another length; the message has both), ORR_ESHAPE, ORR_EDTYPE.
  !> threads:  safe from any thread; several submissions may be under way.
  subroutine orr_graph_submit(g, values, results, event, stat, errmsg)
    type(orr_graph), intent(in) :: g
    type(orr_tensor), intent(in) :: values(:)
    type(orr_tensor), intent(inout) :: results(:)
    type(orr_event), intent(inout), optional :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values(max(1, ubound(values, 1)))
    type(c_ptr), target :: p_results(max(1, ubound(results, 1)))
    type(c_ptr), target :: p_event
    type(c_ptr) :: q_event
    integer(c_int) :: status_
    call f_all(values, p_values)
    p_results = c_null_ptr
    p_event = c_null_ptr
    q_event = c_null_ptr
    if (present(event)) q_event = c_loc(p_event)
    status_ = c_graph_submit(f_file(), place_line, g%p, c_loc(p_values), int(ubound(values, 1), c_int), c_loc(p_results), &
        int(ubound(results, 1), c_int), q_event)
    call f_drop_all(values)
    call f_results(results, p_results)
    if (present(event)) then
      event%p = p_event
    end if
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_graph_submit whose results are computed in the program's memory, without a copy and without tensors: output i in to[i], row-major,
  !> of exactly its bytes, aligned to the size of its element. An output that is an input or another output, or of a field (which orr_read
  !> gives in another form), is copied at the end. The memory belongs to the call until it returns, with an event until orr_wait; after an
  !> error its content is undefined.
  !> errors:   as orr_graph_submit; ORR_EINVAL (memory of another length, NULL, not aligned, or that overlaps with another result or with a
  !>           value that the graph reads); ORR_ESTATE (the graph is distributed over ranks).
  !> threads:  as orr_graph_submit.
  subroutine orr_graph_submit_into(g, values, to, event, stat, errmsg)
    type(orr_graph), intent(in) :: g
    type(orr_tensor), intent(in) :: values(:)
    type(orr_buffer), intent(in), target, contiguous :: to(:)
    type(orr_event), intent(inout), optional :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_values(max(1, ubound(values, 1)))
    type(c_ptr), target :: p_event
    type(c_ptr) :: q_event
    integer(c_int) :: status_
    call f_all(values, p_values)
    p_event = c_null_ptr
    q_event = c_null_ptr
    if (present(event)) q_event = c_loc(p_event)
    status_ = c_graph_submit_into(f_file(), place_line, g%p, c_loc(p_values), int(ubound(values, 1), c_int), c_loc(to), &
        int(ubound(to, 1), c_int), q_event)
    call f_drop_all(values)
    if (present(event)) then
      event%p = p_event
    end if
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Frees the graph. Submitted work continues. NULL is fine.
  !> errors:   ORR_EHANDLE (a second time).
  !> threads:  safe from any thread; submissions of other threads continue.
  subroutine orr_graph_free(g, stat, errmsg)
    type(orr_graph), intent(in) :: g
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_graph_free(g%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> grads[i] = d(sum of y)/d(x[i]) as new tensors, lazy and differentiable again. It is zeros for an array, a variable or a
  !> constant that y does not use, behind orr_detach, and where the derivative is 0 (orr_floor, orr_round, orr_sign).
  !> Reverse mode: Griewank & Walther, Evaluating Derivatives, ch. 3. Record the gradient before the evaluation: a tensor
  !> that holds its value has lost its inputs, and a tensor that an evaluation computes for new values of variables may
  !> hold its value from then on (docs/tuning.md). orr_detach marks such a tensor as a constant. Results
  !> of orr_graph_submit and of functions that evaluate (orr_par_map, orr_cg, …) have no history either. orr_scalar
  !> cannot be an x, since operations make constants of their own from it.
  !> dtypes:   y and x are floats.
  !> @return   on error the status, and every grads[i] is poison.
  !> errors:   ORR_EDTYPE; ORR_EINVAL (an x is orr_scalar); ORR_EGRAPH (a gradient would flow into a tensor that has lost its inputs and
  !>           may depend on an x, into a former value of an x that was assigned since, or into an operation without a derivative; or
  !>           y does not depend on an x that was computed, as a part of what y used; or y depends on an x through whole numbers and truth
  !>           values alone, such as orr_argmax, comparisons and casts). The message has the line of that tensor.
  subroutine orr_grad(y, x, grads, stat, errmsg)
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: x(:)
    type(orr_tensor), intent(inout) :: grads(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr), target :: p_grads(max(1, ubound(grads, 1)))
    integer(c_int) :: status_
    call f_all(x, p_x)
    p_grads = c_null_ptr
    status_ = c_grad(f_file(), place_line, f_of(y), c_loc(p_x), int(f_length(ubound(x, 1), ubound(grads, 1)), c_int), &
        c_loc(p_grads))
    call f_drop(y)
    call f_drop_all(x)
    call f_results(grads, p_grads)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> grads[i] as of orr_grad, where y may be any function of x[0 … n): zeros for every x that it does not use, or through whole numbers and
  !> truth values alone, which are constant piece by piece.
  subroutine orr_grad_or_zeros(y, x, grads, stat, errmsg)
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: x(:)
    type(orr_tensor), intent(inout) :: grads(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr), target :: p_grads(max(1, ubound(grads, 1)))
    integer(c_int) :: status_
    call f_all(x, p_x)
    p_grads = c_null_ptr
    status_ = c_grad_or_zeros(f_file(), place_line, f_of(y), c_loc(p_x), int(f_length(ubound(x, 1), ubound(grads, 1)), &
        c_int), c_loc(p_grads))
    call f_drop(y)
    call f_drop_all(x)
    call f_results(grads, p_grads)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> grads[i] = seed · dy/d(x[i]), with the cotangent `seed` of y's shape and dtype. Otherwise as orr_grad.
  subroutine orr_vjp(y, seed, x, grads, stat, errmsg)
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: seed
    type(orr_tensor), intent(in) :: x(:)
    type(orr_tensor), intent(inout) :: grads(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    type(c_ptr), target :: p_grads(max(1, ubound(grads, 1)))
    integer(c_int) :: status_
    call f_all(x, p_x)
    p_grads = c_null_ptr
    status_ = c_vjp(f_file(), place_line, f_of(y), f_of(seed), c_loc(p_x), int(f_length(ubound(x, 1), ubound(grads, 1)), &
        c_int), c_loc(p_grads))
    call f_drop(y)
    call f_drop(seed)
    call f_drop_all(x)
    call f_results(grads, p_grads)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The value of t, through which no gradient flows.
  !> @return   owned by the current scope.
  function orr_detach(t, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_detach(f_file(), place_line, f_of(t)), stat, errmsg)
    call f_drop(t)
  end function

  !> Prints how `t` would be evaluated now, and computes nothing. docs/fusion.md explains the text.
  !> For each kernel: its key, whether it is compiled, its predicted time and tiles, the calls in it and those among them
  !> that stay in registers, and its inputs, each from another kernel with the reason why the two are not fused. The last
  !> line has the bytes moved with and without fusion.
  !> errors:   the error of a poison, ORR_EINVAL (NULL), ORR_ESTATE, ORR_ENOMEM.
  !> threads:  safe from any thread.
  subroutine orr_explain(to, t, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_explain(f_file(), place_line, p_to, f_of(t))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes the graph of `t` in Graphviz's DOT language: a box per node, and with `fused` a frame around the nodes of
  !> each kernel. `dot -Tsvg` draws it. Computes nothing.
  !> errors:   as orr_explain.
  subroutine orr_explain_dot(to, t, fused, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    type(orr_tensor), intent(in) :: t
    logical, intent(in), optional :: fused
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_explain_dot(f_file(), place_line, p_to, f_of(t), f_bool(fused))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Prints the notes of the time since orr_init: for each source line that matters, its share of the time, the share of the machine's
  !> bound that its kernels reach, and the change by which time would be won, the largest gain first. A line is "FILE:LINE: note: TEXT", which
  !> editors read (docs/seeing.md). Notes are taken while ORRERY_NOTES is set, and are written to its file at the end in any case.
  !> errors:   ORR_ESTATE (ORRERY_NOTES is not set), ORR_EINVAL (NULL), ORR_EIO.
  !> threads:  safe from any thread.
  subroutine orr_notes(to, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_notes(p_to)
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates `n` tensors, as orr_eval_all does, and writes the evaluation to the file `path`, whether it succeeds or not: the graph with
  !> its source lines, the inputs, the plan, the settings, and the results' digests. The file holds the program's data. ORRERY_DUMP writes
  !> such files for evaluations that fail (docs/seeing.md).
  !> errors:   those of the evaluation; ORR_EIO, ORR_ENOMEM; ORR_EGRAPH (random numbers that protect one release, collective operations of
  !>           the program, values over ranks that exist already: these are never written). Over ranks rank 0 writes the file.
  !> threads:  safe from any thread.
  subroutine orr_dump(path, t, stat, errmsg)
    character(*), intent(in) :: path
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_all(t, p_t)
    status_ = c_dump(f_file(), place_line, p_path, c_loc(p_t), int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Prints the content of a dump: why it was written, by which version and engine, its steps, and its receipt: SHA-256 digests of graph,
  !> inputs, settings and results. Equal digests mean equal contents; source lines do not count.
  !> errors:   ORR_EIO, ORR_EFORMAT (no dump, another version, damaged), ORR_ENOMEM, ORR_EINVAL (NULL).
  subroutine orr_dump_print(to, path, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_dump_print(p_to, p_path)
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates the graph of a dump again, as a whole, by this machine's plan, and prints for each result whether its bits are those of the
  !> dump. *same, if not NULL: all are. A result that the dump does not know counts as the same. The library must run.
  !> errors:   as orr_dump_print, and those of the evaluation; ORR_EGRAPH (a kernel of the program; inputs that the dump does not hold).
  subroutine orr_replay(to, path, same, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    character(*), intent(in) :: path
    logical(c_bool), intent(inout), target :: same
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_replay(p_to, p_path, c_loc(same))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates a dump step by step, each operation by itself, and prints for each its line, operation, shape and digest.
  !> @param stop_at  "FILE:LINE": ends after the first step of this source line and prints its operands and its value; NULL: no step
  !> @param record   a file for a copy of the dump that has the digest of every step, for orr_dump_compare; NULL: none
  !> errors:   as orr_replay; ORR_EINVAL (no step has this line); ORR_EIO.
  subroutine orr_replay_steps(to, path, stop_at, record, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    character(*), intent(in) :: path
    character(*), intent(in), optional :: stop_at
    character(*), intent(in), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_stop_at
    type(c_ptr) :: p_stop_at
    character(kind=c_char, len=:), allocatable, target :: t_record
    type(c_ptr) :: p_record
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_stop_at = c_null_ptr
    if (present(stop_at)) then
      t_stop_at = trim(stop_at) // c_null_char
      p_stop_at = c_loc(t_stop_at)
    end if
    p_record = c_null_ptr
    if (present(record)) then
      t_record = trim(record) // c_null_char
      p_record = c_loc(t_record)
    end if
    status_ = c_replay_steps(p_to, p_path, p_stop_at, p_record)
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Finds the first step at which two dumps of one graph differ: another operation or number, another input, or another value from equal
  !> operands; prints it with its source line, and sets *same. Values are compared by the digests that orr_replay_steps has recorded, perhaps
  !> on different machines; a dump without them is evaluated here, where the library must run.
  !> errors:   as orr_replay_steps.
  subroutine orr_dump_compare(to, path, other, same, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    character(*), intent(in) :: path
    character(*), intent(in) :: other
    logical(c_bool), intent(inout), target :: same
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_other
    type(c_ptr) :: p_other
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_other = c_null_ptr
    t_other = trim(other) // c_null_char
    p_other = c_loc(t_other)
    status_ = c_dump_compare(p_to, p_path, p_other, c_loc(same))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The numerical X-ray of a dump: evaluates each step in the program's precision and in wider reals beside it, prints the steps at which
  !> digits are lost (cancellations among them), the significant digits of each step's median and worst element, and the narrower dtypes in
  !> which the results would keep half of their digits. *found, if not NULL: the number of steps that lose digits. Choices by comparison,
  !> indices and random numbers are those of the program. The library must run; docs/seeing.md explains the text.
  !> errors:   as orr_replay; ORR_EINVAL (a value of more than 2²⁶ elements).
  subroutine orr_xray(to, path, found, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    character(*), intent(in) :: path
    integer(c_int), intent(inout), target :: found
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_xray(p_to, p_path, c_loc(found))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads the tensor in a file. The suffix chooses the format: .npy (versions 1 to 3), also for any other suffix; .npz,
  !> .safetensors, .h5 and .hdf5 where the file holds one tensor; .csv as f64 with commas; .png, .jpg and .jpeg as
  !> orr_load_image.
  !> @return   owned by the current scope; poison on error, ORR_EINVAL for a file of several tensors.
  function orr_load(path, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_made(r_, c_load(f_file(), place_line, p_path), stat, errmsg)
  end function

  !> Writes `t` in the format that the suffix chooses, as orr_load; in a format for several tensors the name of `t` is "data".
  !> Evaluates `t`.
  !> errors:   those of orr_eval, ORR_EINVAL, ORR_EDTYPE, ORR_EIO.
  subroutine orr_save(path, t, stat, errmsg)
    character(*), intent(in) :: path
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_save(f_file(), place_line, p_path, f_of(t))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads the array at the beginning of `bytes` bytes of .npy data and sets *used to its length, so that arrays may follow
  !> one another. used NULL: further bytes are ORR_EFORMAT. The elements are copied.
  !> @return   owned by the current scope; poison on error (then *used is 0).
  function orr_load_bytes(data, bytes, used, stat, errmsg) result(r_)
    type(c_ptr), intent(in) :: data
    class(*), intent(in) :: bytes
    integer(c_size_t), intent(inout), target, optional :: used
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_used
    p_used = c_null_ptr
    if (present(used)) p_used = c_loc(used)
    call f_made(r_, c_load_bytes(f_file(), place_line, data, int(f_int(bytes), c_size_t), p_used), stat, errmsg)
  end function

  !> Loads the array in a .npy file; the tensor's memory is the file's own pages, read by the system when they are accessed, so that
  !> orr_shard of it reads only this rank's part. The file must not be changed or truncated while the tensor lives (a new file under
  !> the same name is no change): a call that uses the tensor of a truncated file is ORR_EIO, as for orr_map_safetensors. Bools, elements in column-major order or another byte order, and files that cannot be mapped are
  !> copied.
  !> @return   owned by the current scope; poison on the errors of orr_load.
  function orr_map_npy(path, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_made(r_, c_map_npy(f_file(), place_line, p_path), stat, errmsg)
  end function

  !> Writes the header of a .npy file of an array of `dtype` and `shape`; the elements, row-major, follow it.
  !> @return   its length, a multiple of 64; 0 on ORR_EINVAL (buf is NULL), ORR_ESHAPE, ORR_EDTYPE (bfloat16, or none).
  function orr_npy_header(dtype, shape, buf) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    type(c_ptr), intent(in) :: buf
    integer(c_size_t) :: r_
    r_ = c_npy_header(f_file(), place_line, int(dtype, c_int), f_shape(shape), buf)
  end function

  !> Loads the array called `name`, without its ".npy", from a .npz file (stored or deflated, zip64 too).
  !> @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such array; the message lists
  !>           the names.
  function orr_load_npz(path, name, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    call f_made(r_, c_load_npz(f_file(), place_line, p_path, p_name), stat, errmsg)
  end function

  !> Writes n tensors as a .npz file under their names, not compressed: orr_save_npz(path, ORR_TEXTS("x", "y"),
  !> ORR_TENSORS(x, y)). Evaluates them all at once.
  !> @param names  as many as tensors, not empty, each once (ORR_EINVAL)
  !> errors:   as orr_save.
  subroutine orr_save_npz(path, names, t, stat, errmsg)
    character(*), intent(in) :: path
    character(*), intent(in) :: names(:)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char), allocatable, target :: t_names(:, :)
    type(c_ptr), allocatable, target :: p_names(:)
    integer :: n_names
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    n_names = 0
    n_names = ubound(names, 1)
    allocate (p_names(max(1, n_names)))
    if (n_names > 0) call f_texts(names, t_names, p_names)
    call f_all(t, p_t)
    status_ = c_save_npz(f_file(), place_line, p_path, c_loc(p_names), int(ubound(names, 1), c_int), c_loc(p_t), &
        int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes n tensors as orr_save_npz does, deflated.
  !> errors:   as orr_save; ORR_EINVAL where the library was built without zlib.
  subroutine orr_save_npz_deflated(path, names, t, stat, errmsg)
    character(*), intent(in) :: path
    character(*), intent(in) :: names(:)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char), allocatable, target :: t_names(:, :)
    type(c_ptr), allocatable, target :: p_names(:)
    integer :: n_names
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    n_names = 0
    n_names = ubound(names, 1)
    allocate (p_names(max(1, n_names)))
    if (n_names > 0) call f_texts(names, t_names, p_names)
    call f_all(t, p_t)
    status_ = c_save_npz_deflated(f_file(), place_line, p_path, c_loc(p_names), int(ubound(names, 1), c_int), c_loc(p_t), &
        int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *names to the names of the arrays in a .npz file, in the file's order, and *n to their number.
  !> On error *names is NULL and *n is 0. Free with orr_npz_names_free.
  !> errors:   as orr_load, as a status.
  subroutine orr_npz_names(path, names, stat, errmsg)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: names(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    type(c_ptr), target :: p_names
    integer(c_int), target :: p_n
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_names = c_null_ptr
    p_n = 0
    status_ = c_npz_names(f_file(), place_line, p_path, c_loc(p_names), c_loc(p_n))
    call f_names(p_names, p_n, names)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads the tensor called `name` from a .safetensors file. The header is checked as a whole first: each byte must belong to one tensor
  !> and fit its shape and dtype. The values are copied, so later changes of the file do not matter; with several ranks they are mapped as
  !> by orr_map_safetensors, under its conditions.
  !> @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such tensor (the message lists the names),
  !>           ORR_EDTYPE for a type that does not exist here (8-bit floats).
  function orr_load_safetensors(path, name, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    call f_made(r_, c_load_safetensors(f_file(), place_line, p_path, p_name), stat, errmsg)
  end function

  !> As orr_load_safetensors, but the tensor's memory is the file's own pages, read by the system when they are accessed and never
  !> written. The caller guarantees that the file does not change while the tensor lives: the values would change with it. If the file
  !> has been truncated, evaluations and reads that begin after it are ORR_EIO; one that is under way, and pointers of orr_data, end the
  !> process by SIGBUS, which no library can prevent. A new file under the same name (as orr_save… writes) is no change, nor is the
  !> removal of the name. Bools, and elements that are not aligned to their size, are
  !> copied.
  function orr_map_safetensors(path, name, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    call f_made(r_, c_map_safetensors(f_file(), place_line, p_path, p_name), stat, errmsg)
  end function

  !> Sets *names to the names of the tensors in a .safetensors file, in the order of their bytes, and *n to their number.
  !> Otherwise as orr_npz_names.
  subroutine orr_safetensors_names(path, names, stat, errmsg)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: names(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    type(c_ptr), target :: p_names
    integer(c_int), target :: p_n
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_names = c_null_ptr
    p_n = 0
    status_ = c_safetensors_names(f_file(), place_line, p_path, c_loc(p_names), c_loc(p_n))
    call f_names(p_names, p_n, names)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes n tensors as a .safetensors file under their names. Evaluates them all at once. The bytes of larger elements come
  !> first, so that all tensors are aligned.
  !> @param names  UTF-8, not empty, each once, not "__metadata__" (ORR_EINVAL)
  !> errors:   as orr_save. bfloat16 has a type here.
  subroutine orr_save_safetensors(path, names, t, stat, errmsg)
    character(*), intent(in) :: path
    character(*), intent(in) :: names(:)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char), allocatable, target :: t_names(:, :)
    type(c_ptr), allocatable, target :: p_names(:)
    integer :: n_names
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    n_names = 0
    n_names = ubound(names, 1)
    allocate (p_names(max(1, n_names)))
    if (n_names > 0) call f_texts(names, t_names, p_names)
    call f_all(t, p_t)
    status_ = c_save_safetensors(f_file(), place_line, p_path, c_loc(p_names), int(ubound(names, 1), c_int), c_loc(p_t), &
        int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads a table of numbers: a line is a row, of as many fields as the first. Blanks and a pair of quotes around a number, empty
  !> lines and lines that begin with # are skipped. In a float dtype an empty field is NaN. The decimal point is a point, whatever the
  !> locale.
  !> @param delimiter  between fields; 0: a comma
  !> @param skip       number of lines before the first row, such as a header
  !> @return   (rows, columns), owned by the current scope; poison on error, ORR_EFORMAT with the line and field of text that is no
  !>           number of the dtype, or of a row with another length, and for a file with fewer lines than `skip`.
  function orr_load_csv(path, dtype, delimiter, skip, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(in) :: dtype
    character, intent(in) :: delimiter
    class(*), intent(in) :: skip
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_made(r_, c_load_csv(f_file(), place_line, p_path, int(dtype, c_int), int(ichar(delimiter), c_signed_char), &
        int(f_int(skip), c_int)), stat, errmsg)
  end function

  !> Writes a tensor of at most two axes as rows of numbers, with as many digits as loading needs; one axis is a column. Evaluates `t`.
  !> @param delimiter  between fields; 0: a comma
  !> errors:   as orr_save; ORR_ESHAPE (more than two axes).
  subroutine orr_save_csv(path, t, delimiter, stat, errmsg)
    character(*), intent(in) :: path
    type(orr_tensor), intent(in) :: t
    character, intent(in) :: delimiter
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_save_csv(f_file(), place_line, p_path, f_of(t), int(ichar(delimiter), c_signed_char))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads the data set called `name` ("group/set" in groups) from an HDF5 file: integers, floats of 16 to 64 bits, and h5py's bools and
  !> complex numbers (compounds of the parts r and i). Its elements must be in the file, contiguous or in chunks; the filters deflate (once),
  !> shuffle and fletcher32 are supported. Elements that were never written have the fill value; such sets take half of the memory at most.
  !> libhdf5 reads the file, and a damaged one may do more harm in it than an error: use another format for files that are not trusted.
  !> @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such data set, ORR_EDEVICE where the library was
  !>           built without HDF5 or libhdf5 cannot be opened. One call at a time uses libhdf5; a program must not use it during a call.
  function orr_load_hdf5(path, name, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    call f_made(r_, c_load_hdf5(f_file(), place_line, p_path, p_name), stat, errmsg)
  end function

  !> Sets *names to the names of all data sets in an HDF5 file, those in groups with their path, and *n to their number. Otherwise as
  !> orr_npz_names.
  subroutine orr_hdf5_names(path, names, stat, errmsg)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: names(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    type(c_ptr), target :: p_names
    integer(c_int), target :: p_n
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_names = c_null_ptr
    p_n = 0
    status_ = c_hdf5_names(f_file(), place_line, p_path, c_loc(p_names), c_loc(p_n))
    call f_names(p_names, p_n, names)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes n tensors as data sets of an HDF5 file; a name "group/set" makes the group. The file is assembled in memory
  !> first.
  !> errors:   as orr_save; ORR_EDTYPE (bfloat16), ORR_EDEVICE (built without HDF5, or libhdf5 cannot be opened).
  subroutine orr_save_hdf5(path, names, t, stat, errmsg)
    character(*), intent(in) :: path
    character(*), intent(in) :: names(:)
    type(orr_tensor), intent(in) :: t(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    character(kind=c_char), allocatable, target :: t_names(:, :)
    type(c_ptr), allocatable, target :: p_names(:)
    integer :: n_names
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    n_names = 0
    n_names = ubound(names, 1)
    allocate (p_names(max(1, n_names)))
    if (n_names > 0) call f_texts(names, t_names, p_names)
    call f_all(t, p_t)
    status_ = c_save_hdf5(f_file(), place_line, p_path, c_loc(p_names), int(ubound(names, 1), c_int), c_loc(p_t), &
        int(ubound(t, 1), c_int))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Loads the array in an IDX file, plain or gzip: unsigned and signed bytes, int16, int32, float32, float64.
  !> @return   owned by the current scope; poison on error.
  function orr_load_idx(path, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_made(r_, c_load_idx(f_file(), place_line, p_path), stat, errmsg)
  end function

  !> Loads a PNG or JPEG image; its first bytes determine the format. Interlaced and progressive images are supported. Values are
  !> those of the file: gamma, colour profiles and the orientation of a camera are not applied. An image that is truncated, or
  !> damaged by the format's own checks, is an error; bytes after the image are ignored.
  !> @return   (height, width, channels), owned by the current scope; channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. u8; u16
  !>           for a PNG of 16 bits. Palettes become RGB, transparent colours alpha, 1, 2 and 4 bits become 0 … 255. Poison on
  !>           error; ORR_EFORMAT also for a size too large for the number of bytes or for ORRERY_IMAGE_LIMIT (before memory is
  !>           allocated; the message has both), for JPEGs with
  !>           four channels, 12 bits or arithmetic code; ORR_EDEVICE where the library was built without libpng or libjpeg.
  function orr_load_image(path, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    call f_made(r_, c_load_image(f_file(), place_line, p_path), stat, errmsg)
  end function

  !> Loads an image like orr_load_image from the bytes of such a file.
  function orr_load_image_bytes(data, bytes, stat, errmsg) result(r_)
    type(c_ptr), intent(in) :: data
    class(*), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_load_image_bytes(f_file(), place_line, data, int(f_int(bytes), c_size_t)), stat, errmsg)
  end function

  !> Writes an image in the format of the suffix: .png, .jpg or .jpeg. Evaluates `t`. orr_save does the same with quality 90.
  !> @param t        (height, width), or (height, width, channels) with 1 to 4 channels as in orr_load_image, in JPEG 1 or 3; u8,
  !>                 in PNG also u16
  !> @param quality  of JPEG, 1 … 100; 0: 90
  !> errors:   as orr_save; ORR_EINVAL (another suffix, quality), ORR_ESHAPE, ORR_EDTYPE, ORR_EDEVICE.
  subroutine orr_save_image(path, t, quality, stat, errmsg)
    character(*), intent(in) :: path
    type(orr_tensor), intent(in) :: t
    class(*), intent(in) :: quality
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_save_image(f_file(), place_line, p_path, f_of(t), int(f_int(quality), c_int))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns the bytes of the file that orr_save_image would write: u8 (bytes), owned by the current scope; poison on its errors.
  function orr_encode_image(t, format, quality, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    integer, intent(in), optional :: format
    class(*), intent(in) :: quality
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_encode_image(f_file(), place_line, f_of(t), f_enum(format), int(f_int(quality), c_int)), stat, errmsg)
    call f_drop(t)
  end function

  !> Evaluates `t` and sets *out to its value in host memory, shared and not copied. The value lives until the consumer calls
  !> (*out)->deleter(*out), even if the tensor is freed earlier. It must not be written: the flags contain
  !> ORR_DLPACK_READ_ONLY.
  !> errors:   those of orr_eval; ORR_EINVAL (out is NULL), ORR_EDTYPE (no DLPack type); then *out is NULL.
  !> threads:  safe from any thread; the deleter, too, until orr_shutdown, after which it must not be called.
  subroutine orr_to_dlpack(t, out, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    type(c_ptr), intent(out) :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_out
    integer(c_int) :: status_
    p_out = c_null_ptr
    status_ = c_to_dlpack(f_file(), place_line, f_of(t), c_loc(p_out))
    call f_drop(t)
    out = p_out
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> As orr_to_dlpack, for consumers of the unversioned exchange. This has no flags: the consumer must know that it must
  !> not write.
  subroutine orr_to_dlpack_unversioned(t, out, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    type(c_ptr), intent(out) :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_out
    integer(c_int) :: status_
    p_out = c_null_ptr
    status_ = c_to_dlpack_unversioned(f_file(), place_line, f_of(t), c_loc(p_out))
    call f_drop(t)
    out = p_out
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A tensor on the array of another library: without a copy if it is row-major and aligned to its element size, else with one. Its
  !> elements must not change from now on. The deleter is called once, from any thread, after the last use (after the copy). On an error
  !> it is not called, and the caller keeps the array.
  !> @return   owned by the current scope; poison on ORR_EINVAL (NULL, a major version other than 1, more than one lane), ORR_EDEVICE
  !>           (memory of a device: copy it to the host before), ORR_EDTYPE (types that do not exist here, such as complex numbers of 32 bits), ORR_ESHAPE
  !>           (rank above 8, sizes that are negative or overflow), ORR_ENOMEM.
  !> threads:  safe from any thread.
  function orr_from_dlpack(array, stat, errmsg) result(r_)
    type(orr_dlpack_versioned), intent(inout), target :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_from_dlpack(f_file(), place_line, c_loc(array)), stat, errmsg)
  end function

  !> As orr_from_dlpack, for an unversioned array.
  function orr_from_dlpack_unversioned(array, stat, errmsg) result(r_)
    type(orr_dlpack_unversioned), intent(inout), target :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_from_dlpack_unversioned(f_file(), place_line, c_loc(array)), stat, errmsg)
  end function

  !> Writes up to `max` rows of statistics, the busiest first. The row "trials: regret" of worker "all", if there is one, counts
  !> trials: work done in another way than the best known one, to measure it. Its seconds are the time that they took beyond the
  !> best known way, which are part of the other rows too: at most 5 % of the time of the process's evaluations, and at most
  !> 10 ms in its first 50. The rows "CUDA graphs: launches" and "CUDA graphs: captures" of worker "all" count launches of small steps
  !> that repeat, and their recordings with the seconds that those took on the host.
  !> @return   the number of all rows.
  !> threads:  safe from any thread.
  function orr_stats(rows) result(r_)
    type(orr_stat), intent(inout), target, contiguous :: rows(:)
    integer(c_int) :: r_
    r_ = c_stats(c_loc(rows), int(ubound(rows, 1), c_int))
  end function

  !> Sets the counters of orr_stats and orr_metrics to zero.
  subroutine orr_stats_reset()
    call c_stats_reset()
  end subroutine

  !> Prints orr_stats as a table: kind, worker, tasks, time, share.
  subroutine orr_stats_print(to)
    type(c_ptr), intent(in), optional :: to
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    call c_stats_print(p_to)
    if (.not. present(to)) call f_output(p_to, text_)
  end subroutine

  !> Writes up to `max` rows of metrics since orr_init or orr_stats_reset, the most expensive first.
  !> @return   the number of all rows.
  !> threads:  safe from any thread.
  function orr_metrics(rows) result(r_)
    type(orr_metric), intent(inout), target, contiguous :: rows(:)
    integer(c_int) :: r_
    r_ = c_metrics(c_loc(rows), int(ubound(rows, 1), c_int))
  end function

  !> Writes all counters as one JSON object, in bytes and seconds.
  !>     {"engine", "memory": {"live", "pooled", "peak", "limit", "spilled", "spilled_peak", "total", "held": {"values", "pool", …}},
  !>      "plans": {"made", "found", "evicted", "kept"}, "kernels": {"compiled", "from_disk", "from_memory", "failed"},
  !>      "regret": {"trials", "refused", "seconds", "bound"},
  !>      "devices": [{"name", "retired", "times", "seconds", "gone"}], "kinds": [{"kind", "tasks", "seconds", "p50", "p95", "p99"}]}
  !> regret: trials so far in the process, trials that were not begun, and the row of trials of orr_stats with its present bound.
  !> A retired device has failed and is tried again after `seconds`; one that is gone is not tried again (docs/reliability.md).
  !> errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
  !> threads:  safe from any thread.
  subroutine orr_metrics_json(to, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_metrics_json(p_to)
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Name of the engine: "starpu 1.3.10, 2 CPU workers, lws" or "serial"; "" before orr_init.
  function orr_engine_name() result(r_)
    character(:), allocatable :: r_
    r_ = f_string(c_engine_name())
  end function

  !> Name of a kind of device: "cpu", "cuda", "opencl"; "?" for any other number.
  function orr_device_kind_name(kind) result(r_)
    integer, intent(in), optional :: kind
    character(:), allocatable :: r_
    r_ = f_string(c_device_kind_name(f_enum(kind)))
  end function

  !> Name of a measure in JSON: "memory_total", …; "?" for any other number.
  function orr_measure_name(m) result(r_)
    integer, intent(in), optional :: m
    character(:), allocatable :: r_
    r_ = f_string(c_measure_name(f_enum(m)))
  end function

  !> Unit of a measure: "B", "°C", "W", "Hz", "".
  function orr_measure_unit(m) result(r_)
    integer, intent(in), optional :: m
    character(:), allocatable :: r_
    r_ = f_string(c_measure_unit(f_enum(m)))
  end function

  !> Reads all devices and writes up to `max` of them, before orr_init too.
  !> The libraries of CUDA and NVML are opened at run time; their absence is no error. The processor's utilisation and
  !> power are means since the process's previous call, so the first call does not know them.
  !> @return   the number of all devices.
  !> cost:     1 ms; the first call up to some 100 ms.
  !> threads:  safe from any thread.
  function orr_devices(devices) result(r_)
    type(orr_device), intent(inout), target, contiguous :: devices(:)
    integer(c_int) :: r_
    r_ = c_devices(c_loc(devices), int(ubound(devices, 1), c_int))
  end function

  !> Writes orr_devices as one JSON object.
  !>     {"orrery", "written" (seconds since 1970), "pid", "devices": [{"id", "kind", "index", "name", "address",
  !>      "capability", and each measure by name as {"value": number} or {"error", "why"}}]}
  !> errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
  !> threads:  safe from any thread.
  subroutine orr_devices_json(to, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_devices_json(p_to)
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes orr_devices_json to a file that only its owner can read and that appears whole or not at all.
  !> With ORRERY_DEVICE_FILE the library writes that file at orr_init and after every change.
  !> errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM.
  !> threads:  safe from any thread.
  subroutine orr_devices_save(path, stat, errmsg)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_devices_save(p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads a file of orr_devices_save, also another process's: up to `max` devices, and the number of all of them into
  !> *count.
  !> errors:   ORR_EINVAL (path or count is NULL), ORR_EIO, ORR_EFORMAT (another kind of file), ORR_ENOMEM.
  !> threads:  safe from any thread.
  subroutine orr_devices_load(path, devices, count, stat, errmsg)
    character(*), intent(in) :: path
    type(orr_device), intent(inout), target, contiguous :: devices(:)
    integer(c_int), intent(inout), target :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_devices_load(p_path, c_loc(devices), int(ubound(devices, 1), c_int), c_loc(count))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads the devices every `seconds` (0.01 … 86400) on a thread of the library and calls `fn` after each change.
  !> The first reading counts as a change of every kind. A second call replaces the first; fn NULL ends the watch, and so
  !> does orr_shutdown. After the return the previous function is not called any more. The caller owns `user`.
  !> errors:   ORR_EINVAL, ORR_ESTATE (not initialised, or called by fn), ORR_EDEVICE (no thread can be started).
  !> threads:  safe from any thread.
  subroutine orr_devices_watch(seconds, fn, user, stat, errmsg)
    class(*), intent(in) :: seconds
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    status_ = c_devices_watch(f_real(seconds), fn, p_user)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates `t` and starts a copy of its value into the memory of `device`, an id of orr_devices.
  !> The copy is a hint: if it cannot be made ahead of time, it is made at the first use. For device 0 the call copies
  !> into the host's memory and waits.
  !> errors:   those of orr_eval; ORR_EINVAL (no such device), ORR_EDEVICE (no worker of this run has it), ORR_ENOMEM
  !>           (the value is larger than the device's memory).
  !> threads:  safe from any thread.
  subroutine orr_prefetch(t, device, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    class(*), intent(in) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_prefetch(f_file(), place_line, f_of(t), int(f_int(device), c_int))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Copies the value of `t` into the memory of `device` as orr_prefetch does, and waits for the copy.
  subroutine orr_copy_to(t, device, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    class(*), intent(in) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_copy_to(f_file(), place_line, f_of(t), int(f_int(device), c_int))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Copies the value of `t` into the host's memory and releases all other copies of it.
  !> The call waits for work that reads them. Evaluates `t`.
  !> errors:   those of orr_eval, ORR_EDEVICE.
  !> threads:  safe from any thread.
  subroutine orr_evict(t, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_evict(f_file(), place_line, f_of(t))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *on to whether the memory of `device` holds the whole value of `t` now. Evaluates `t`.
  !> errors:   as orr_prefetch; ORR_EINVAL (on is NULL).
  subroutine orr_is_on(t, device, on, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    class(*), intent(in) :: device
    logical(c_bool), intent(inout), target :: on
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_is_on(f_file(), place_line, f_of(t), int(f_int(device), c_int), c_loc(on))
    call f_drop(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Sets *total to the bytes of the device's memory and *left to those that are free.
  !> For device 0 this is the host's memory, else the memory that the engine may use (STARPU_LIMIT_CUDA_MEM,
  !> STARPU_LIMIT_OPENCL_MEM). Copies that the engine could release count as used.
  !> errors:   ORR_EINVAL, ORR_ESTATE, ORR_EDEVICE.
  !> threads:  safe from any thread.
  subroutine orr_device_memory(device, total, left, stat, errmsg)
    class(*), intent(in) :: device
    integer(c_size_t), intent(inout), target :: total
    integer(c_size_t), intent(inout), target :: left
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_device_memory(f_file(), place_line, int(f_int(device), c_int), c_loc(total), c_loc(left))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Name of an owner: "values", "pool", …; "?" for any other number.
  function orr_memory_owner_name(owner) result(r_)
    integer, intent(in), optional :: owner
    character(:), allocatable :: r_
    r_ = f_string(c_memory_owner_name(f_enum(owner)))
  end function

  !> Returns the present state of the host memory that the library holds. Memory of other libraries that does not belong to
  !> a tensor or a plan is not counted: the runtime of StarPU, of the BLAS, of drivers.
  !> threads:  safe from any thread.
  function orr_memory_stats() result(r_)
    type(orr_memory) :: r_
    call c_memory_stats(r_)
  end function

  !> Sets peak and spilled_peak to the present values.
  !> threads:  safe from any thread.
  subroutine orr_memory_peak_reset()
    call c_memory_peak_reset()
  end subroutine

  !> Returns pooled memory to the system. Pooled memory that is not used for a second returns by itself.
  !> threads:  safe from any thread.
  subroutine orr_memory_trim()
    call c_memory_trim()
  end subroutine

  !> Writes up to `max` facts about the build and the machine. Before orr_init the engine's are missing.
  !> @return   the number of all facts.
  !> threads:  safe from any thread.
  function orr_info(facts) result(r_)
    type(orr_fact), intent(inout), target, contiguous :: facts(:)
    integer(c_int) :: r_
    r_ = c_info(c_loc(facts), int(ubound(facts, 1), c_int))
  end function

  !> Prints the ORRERY_* variables: name, values, default, meaning.
  !> @param markdown  true: docs/environment.md, with the STARPU_* variables that users of Orrery meet; false: a plain
  !>                  table with the values in force
  !> errors:   ORR_EINVAL, ORR_EIO.
  subroutine orr_env_print(to, markdown, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    logical, intent(in), optional :: markdown
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_env_print(p_to, f_bool(markdown))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Prints the tuned numbers of the library: name, value, unit, reason, and the command that measures it on another machine.
  !> @param markdown  true: docs/thresholds.md; false: a plain table
  !> errors:   ORR_EINVAL, ORR_EIO.
  !> threads:  safe from any thread.
  subroutine orr_thresholds_print(to, markdown, stat, errmsg)
    type(c_ptr), intent(in), optional :: to
    logical, intent(in), optional :: markdown
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_to
    type(c_ptr), target :: text_
    integer(c_size_t), target :: size_
    integer(c_int) :: status_
    if (present(to)) then
      p_to = to
    else
      p_to = c_open_memstream(c_loc(text_), c_loc(size_))
    end if
    status_ = c_thresholds_print(p_to, f_bool(markdown))
    if (.not. present(to)) call f_output(p_to, text_)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Lists the kernel cache: up to `max` entries, and the number of all of them into *count. Before orr_init it reads
  !> the environment itself.
  !> errors:   ORR_EENV, ORR_EIO (the directory is refused; the message has the reason), ORR_EINVAL (count is NULL).
  subroutine orr_cache_list(entries, count, stat, errmsg)
    type(orr_cache_entry), intent(inout), target, contiguous :: entries(:)
    integer(c_int), intent(inout), target :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_cache_list(c_loc(entries), int(ubound(entries, 1), c_int), c_loc(count))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Removes all kernels from the user's cache directory and sets *removed, which may be NULL, to their number. Kernels
  !> in use stay loaded.
  !> errors:   as orr_cache_list; ORR_EIO (a file cannot be removed).
  subroutine orr_cache_clear(removed, stat, errmsg)
    integer(c_int), intent(inout), target :: removed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_cache_clear(c_loc(removed))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes up to `max` numbers of this machine.
  !> @return   the number of all of them.
  !> threads:  safe from any thread.
  function orr_machine_list(numbers) result(r_)
    type(orr_machine_number), intent(inout), target, contiguous :: numbers(:)
    integer(c_int) :: r_
    r_ = c_machine_list(c_loc(numbers), int(ubound(numbers, 1), c_int))
  end function

  !> Lists the performance models of this host: up to `max`, and the number of all of them into *count. Before orr_init
  !> it reads their file (docs/tuning.md).
  !> errors:   ORR_EENV, ORR_EINVAL (count is NULL).
  !> threads:  safe while the library runs.
  subroutine orr_perfmodel_list(models, count, stat, errmsg)
    type(orr_perfmodel), intent(inout), target, contiguous :: models(:)
    integer(c_int), intent(inout), target :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_perfmodel_list(c_loc(models), int(ubound(models, 1), c_int), c_loc(count))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Deletes all performance models and their file, and sets *removed, which may be NULL, to their number.
  !> errors:   ORR_EENV, ORR_EIO (the file cannot be removed).
  subroutine orr_perfmodel_clear(removed, stat, errmsg)
    integer(c_int), intent(inout), target :: removed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_perfmodel_clear(c_loc(removed))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Waits for the measurement of this machine, which a thread of orr_init makes once per host.
  !> @param again  true: measures now, in 0.1 to 0.3 s, and keeps the result. Measure on a quiet machine.
  !> errors:   ORR_ESTATE (not started), ORR_EDEVICE (the serial engine does not measure the machine), ORR_EIO (the numbers are in
  !>           force but cannot be kept), ORR_EINTERNAL (implausible numbers; the previous ones stay in force).
  !> threads:  one thread at a time.
  subroutine orr_machine_measure(again, stat, errmsg)
    logical, intent(in), optional :: again
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_machine_measure(f_bool(again))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A tensor of `shape`, filled by the rule `how`.
  !> @param shape  any; Glorot and He need fan_in > 0
  !> dtypes:   floats.
  !> @return   owned by the current scope; poison on ORR_EINVAL, ORR_ESHAPE, ORR_EDTYPE.
  !> effects:  lazy. Safe from any thread.
  function orr_initialiser_apply(how, dtype, shape, stat, errmsg) result(r_)
    type(orr_initialiser), intent(in), optional :: how
    integer, intent(in) :: dtype
    class(*), intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(orr_initialiser) :: s_how
    if (present(how)) s_how = how
    call f_made(r_, c_initialiser_apply(f_file(), place_line, s_how, int(dtype, c_int), f_shape(shape)), stat, errmsg)
  end function

  !> y = f(x).
  !> @return   like x, owned by the current scope; poison on ORR_EINVAL (no such f), ORR_EDTYPE.
  !> effects:  lazy. Safe from any thread.
  function orr_activate(x, f, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(in), optional :: f
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_activate(f_file(), place_line, f_of(x), f_enum(f)), stat, errmsg)
    call f_drop(x)
  end function

  !> y = f(x·W + b) with W (in, out) and b (out) in f32; W by `init`, b by the default rule U(−1/√in, 1/√in).
  !> @param in, out  ≥ 1
  !> @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
  !> parameters: "weight", "bias".
  function orr_dense(in, out, f, init, stat, errmsg) result(r_)
    class(*), intent(in) :: in
    class(*), intent(in) :: out
    integer, intent(in), optional :: f
    type(orr_initialiser), intent(in), optional :: init
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(orr_initialiser) :: s_init
    integer(c_int) :: status_
    if (present(init)) s_init = init
    r_%p = c_dense(f_file(), place_line, f_int(in), f_int(out), f_enum(f), s_init)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> A dense layer like orr_dense with a given dtype and a given initialiser of the bias; ORR_INITIALISER_NONE: no
  !> bias.
  !> dtypes:   floats.
  function orr_dense_with(dtype, in, out, f, weight, bias, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: in
    class(*), intent(in) :: out
    integer, intent(in), optional :: f
    type(orr_initialiser), intent(in), optional :: weight
    type(orr_initialiser), intent(in), optional :: bias
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(orr_initialiser) :: s_weight
    type(orr_initialiser) :: s_bias
    integer(c_int) :: status_
    if (present(weight)) s_weight = weight
    if (present(bias)) s_bias = bias
    r_%p = c_dense_with(f_file(), place_line, int(dtype, c_int), f_int(in), f_int(out), f_enum(f), s_weight, s_bias)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_activate as a module without parameters, for places where no layer takes an activation, such as after a
  !> normalisation.
  !> @return   to be freed with orr_module_free; NULL on ORR_EINVAL (no such f), ORR_ENOMEM.
  function orr_activation_layer(f, stat, errmsg) result(r_)
    integer, intent(in), optional :: f
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_activation_layer(f_file(), place_line, f_enum(f))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> y = fn(x, user): a function of the program's own as a module. `user` must outlive the module. Variables that the
  !> function uses must be added by orr_module_add_parameter, or belong to another module of the same composition. Saving is
  !> refused while the first application has used a variable for which neither holds.
  function orr_function(fn, user, stat, errmsg) result(r_)
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_user
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    r_%p = c_function(f_file(), place_line, fn, p_user)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> y = m[n−1] ∘ … ∘ m[0], applied to x: orr_sequential(ORR_MODULES(orr_dense(…), orr_dense(…), …)).
  !> @return   a module that owns the m[i]; on error NULL, and the m[i] are freed. Each may occur once.
  !> parameters: "0.weight", "0.bias", "1.weight" …
  function orr_sequential(m, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr), target :: p_m(max(1, ubound(m, 1)))
    integer(c_int) :: status_
    p_m(1:ubound(m, 1)) = m(:)%p
    r_%p = c_sequential(f_file(), place_line, c_loc(p_m), int(ubound(m, 1), c_int))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Applies m to x.
  !> @return   a new tensor owned by the current scope; poison on the errors of its operations, ORR_EINVAL (m is NULL, or takes
  !>           more than one input).
  !> effects:  lazy. Safe from any thread. A layer with running statistics assigns them in training mode.
  function orr_forward(m, x, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_forward(f_file(), place_line, m%p, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> Applies m to n inputs, as the layer's constructor lists them: orr_forward_all(m, ORR_TENSORS(x, memory)). An optional
  !> input may be NULL.
  !> errors:   as orr_forward; ORR_EINVAL (m takes another number of inputs).
  function orr_forward_all(m, x, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_tensor), intent(in) :: x(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_x(max(1, ubound(x, 1)))
    call f_all(x, p_x)
    call f_made(r_, c_forward_all(f_file(), place_line, m%p, c_loc(p_x), int(ubound(x, 1), c_int)), stat, errmsg)
    call f_drop_all(x)
  end function

  !> y = x + m(x).
  !> @return   a module that owns m; on error NULL, and m is freed.
  !> parameters: "0.weight" …
  function orr_residual(m, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_residual(f_file(), place_line, m%p)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> A module without parameters and parts yet, applied by `fn`. release(user), unless NULL, is called when the module is
  !> freed.
  !> @return   to be freed with orr_module_free; NULL on ORR_EINVAL (fn is NULL), ORR_ENOMEM; then release is not called.
  function orr_module_new(kind, fn, user, release, stat, errmsg) result(r_)
    character(*), intent(in) :: kind
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    type(c_funptr), intent(in) :: release
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_kind
    type(c_ptr) :: p_kind
    type(c_ptr) :: p_user
    integer(c_int) :: status_
    p_kind = c_null_ptr
    t_kind = trim(kind) // c_null_char
    p_kind = c_loc(t_kind)
    p_user = c_null_ptr
    if (present(user)) p_user = user
    r_%p = c_module_new(f_file(), place_line, p_kind, fn, p_user, release)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Adds a variable that starts as `value`. Optimisers change it, and it is saved.
  !> @param name  at most 23 bytes, without a dot, once in the module
  !> @return   the variable, borrowed; NULL on ORR_EINVAL, the error of `value`, ORR_ENOMEM.
  function orr_module_add_parameter(m, name, value) result(r_)
    type(orr_module), intent(in) :: m
    character(*), intent(in) :: name
    type(orr_tensor), intent(in) :: value
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    r_%t = c_module_add_parameter(f_file(), place_line, m%p, p_name, f_of(value))
    call f_drop(value)
  end function

  !> Adds a variable that optimisers do not change and that is saved with the parameters: statistics, a counter.
  !> Otherwise as orr_module_add_parameter.
  function orr_module_add_state(m, name, value, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    character(*), intent(in) :: name
    type(orr_tensor), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    call f_made(r_, c_module_add_state(f_file(), place_line, m%p, p_name, f_of(value)), stat, errmsg)
    call f_drop(value)
  end function

  !> Adds a module, whose parameters get the path "name.…"; name NULL: its number. m owns it from now on.
  !> @return   `part`, borrowed; on error NULL, and `part` is freed. m then carries the error: without the part, the numbers of others
  !>           would differ, so orr_forward gives a poison with it, and optimisers and files refuse m.
  function orr_module_add_part(m, name, part, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    character(*), intent(in), optional :: name
    type(orr_module), intent(in) :: part
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    if (present(name)) then
      t_name = trim(name) // c_null_char
      p_name = c_loc(t_name)
    end if
    r_%p = c_module_add_part(f_file(), place_line, m%p, p_name, part%p)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Returns part number i, borrowed; NULL if there is none.
  function orr_module_part(m, i) result(r_)
    type(orr_module), intent(in) :: m
    class(*), intent(in) :: i
    type(orr_module) :: r_
    r_%p = c_module_part(m%p, int(f_int(i), c_int))
  end function

  !> Switches m and its parts to training (true, the initial mode) or inference. The mode determines dropout and
  !> the statistics of batch normalisation.
  !> threads:  no other thread may apply m.
  subroutine orr_module_train(m, training)
    type(orr_module), intent(in) :: m
    logical, intent(in), optional :: training
    call c_module_train(m%p, f_bool(training))
  end subroutine

  !> Returns whether m is in training mode; false for NULL.
  function orr_module_training(m) result(r_)
    type(orr_module), intent(in) :: m
    logical :: r_
    r_ = logical(c_module_training(m%p))
  end function

  !> Switches m to inference and folds each batch normalisation that directly follows a convolution without an activation into that
  !> layer's weight and bias (a bias is added if there is none). The results are the same up to rounding. Other normalisations stay,
  !> and so do those in modules of the program's own, which may apply their parts in any order. A folded normalisation has no
  !> variables any more: an earlier optimiser of m cannot be used, and an earlier file of m is that of another network.
  !> errors:   ORR_EINVAL (m is NULL; a batch normalisation keeps no statistics: then nothing changes), those of orr_eval.
  !> threads:  no other thread may apply m.
  subroutine orr_module_fold(m, stat, errmsg)
    type(orr_module), intent(in) :: m
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_module_fold(f_file(), place_line, m%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Writes up to `max` parameters, in the order of the modules.
  !> @return   the number of all parameters.
  function orr_module_parameters(m, out) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_parameter), intent(inout), target, contiguous :: out(:)
    integer(c_int) :: r_
    r_ = c_module_parameters(m%p, c_loc(out), int(ubound(out, 1), c_int))
  end function

  !> Writes up to `max` variables that are saved with the parameters and that no optimiser changes: running statistics.
  !> @return   the number of all of them.
  function orr_module_states(m, out) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_parameter), intent(inout), target, contiguous :: out(:)
    integer(c_int) :: r_
    r_ = c_module_states(m%p, c_loc(out), int(ubound(out, 1), c_int))
  end function

  !> Returns the parameter or state with this path, borrowed; NULL where there is none.
  function orr_module_variable(m, path) result(r_)
    type(orr_module), intent(in) :: m
    character(*), intent(in) :: path
    type(orr_tensor) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    r_%t = c_module_variable(m%p, p_path)
  end function

  !> Returns the number of elements of all parameters.
  function orr_module_size(m) result(r_)
    type(orr_module), intent(in) :: m
    integer(c_int64_t) :: r_
    r_ = c_module_size(m%p)
  end function

  !> Frees the module, its modules and their variables, after orr_shutdown too. NULL is fine. A freed module, like every object that is
  !> freed by its own function (optimisers, loaders, caches, checkpoints, …), is recognised: uses give ORR_EHANDLE and a second free
  !> changes nothing, as orr_error_status tells. So does ORR_ESTATE for a part, which its composition frees.
  subroutine orr_module_free(m)
    type(orr_module), intent(in) :: m
    call c_module_free(m%p)
  end subroutine

  !> Writes all parameters and states to the .npz file `path`, under their names. Evaluates them. Under mpirun every rank calls this,
  !> rank 0 writes the file, and all ranks return its status.
  !> errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM, and those of orr_eval; ORR_ESTATE (orr_function: a variable would not be
  !>           saved).
  subroutine orr_module_save(m, path, stat, errmsg)
    type(orr_module), intent(in) :: m
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_module_save(f_file(), place_line, m%p, p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Assigns to all parameters and states the arrays of their names in `path`, all or none. Ranks: if a value is distributed, all ranks
  !> call it, and none keeps more than its part of an array; otherwise each rank reads independently.
  !> errors:   ORR_EIO, ORR_EFORMAT, ORR_EDTYPE; a file of another network is refused with the first difference: ORR_EINVAL (a
  !>           name is missing, or one too many), ORR_ESHAPE.
  subroutine orr_module_load(m, path, stat, errmsg)
    type(orr_module), intent(in) :: m
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_module_load(f_file(), place_line, m%p, p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns PyTorch's defaults of `kind`; for SGD, where PyTorch has no default, lr is 0.001.
  function orr_optim_defaults(kind) result(r_)
    integer, intent(in), optional :: kind
    type(orr_optim_options) :: r_
    call c_optim_defaults(r_, f_enum(kind))
  end function

  !> An optimiser of the n variables v[i], which must outlive it. NULL options: the defaults.
  !> dtypes:   floats.
  !> @return   to be freed with orr_optim_free; NULL on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EHANDLE.
  function orr_optim_new(kind, v, options, stat, errmsg) result(r_)
    integer, intent(in), optional :: kind
    type(orr_tensor), intent(in) :: v(:)
    type(orr_optim_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_optim) :: r_
    type(c_ptr), target :: p_v(max(1, ubound(v, 1)))
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    call f_all(v, p_v)
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_optim_new(f_file(), place_line, f_enum(kind), c_loc(p_v), int(ubound(v, 1), c_int), p_options)
    call f_drop_all(v)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> An optimiser like orr_optim_new of all parameters of a module.
  function orr_optim_of_module(kind, m, options, stat, errmsg) result(r_)
    integer, intent(in), optional :: kind
    type(orr_module), intent(in) :: m
    type(orr_optim_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_optim) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_optim_of_module(f_file(), place_line, f_enum(kind), m%p, p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Frees the optimiser and its state, not the variables. NULL is fine.
  subroutine orr_optim_free(o)
    type(orr_optim), intent(in) :: o
    call c_optim_free(o%p)
  end subroutine

  !> Records one step down the gradient of the sum of `loss`: orr_grad, clipping if it is set, update, orr_assign. Lazy:
  !> this thread's next evaluation computes the step, so `orr_optim_step(o, loss); orr_item(loss, &x);` is one pass.
  !> Steps that are recorded without an evaluation are submitted in parts (orr_assign): reading the loss seldom costs no more.
  !> `loss` keeps the value before the step. Successive steps have graphs of one structure and share one plan. A new value
  !> uses the memory of the old one if no reader of that is left (orr_assign).
  !> A variable on which the loss does not depend has a gradient of zeros: weight decay and momentum still move it.
  !> errors:   the error of `loss`, and those of orr_grad; ORR_EGRAPH (the loss depends on none of the variables). Then no variable
  !>           has changed.
  subroutine orr_optim_step(o, loss, stat, errmsg)
    type(orr_optim), intent(in) :: o
    type(orr_tensor), intent(in) :: loss
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_optim_step(f_file(), place_line, o%p, f_of(loss))
    call f_drop(loss)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Records one step with the gradients of the caller: grads[i] of v[i]'s shape, one for each of the optimiser's variables.
  !> No clipping. Otherwise as orr_optim_step.
  !> errors:   as orr_optim_step; ORR_EINVAL (another number of gradients; the message has both).
  subroutine orr_optim_apply(o, grads, stat, errmsg)
    type(orr_optim), intent(in) :: o
    type(orr_tensor), intent(in) :: grads(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_grads(max(1, ubound(grads, 1)))
    integer(c_int) :: status_
    call f_all(grads, p_grads)
    status_ = c_optim_apply(f_file(), place_line, o%p, c_loc(p_grads), int(ubound(grads, 1), c_int))
    call f_drop_all(grads)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Adds the gradients of the sum of `loss` to those accumulated since the last orr_optim_step_accumulated: a batch in parts.
  !> Lazy, as orr_optim_step.
  !> errors:   as orr_optim_step; then nothing is added.
  subroutine orr_optim_accumulate(o, loss, stat, errmsg)
    type(orr_optim), intent(in) :: o
    type(orr_tensor), intent(in) :: loss
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_optim_accumulate(f_file(), place_line, o%p, f_of(loss))
    call f_drop(loss)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Records one step with the sum of the gradients of orr_optim_accumulate, clipped if that is set, and clears the sum.
  !> Divide each loss by the number of parts for their mean.
  !> errors:   as orr_optim_apply; ORR_ESTATE (nothing was accumulated).
  subroutine orr_optim_step_accumulated(o, stat, errmsg)
    type(orr_optim), intent(in) :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_optim_step_accumulated(f_file(), place_line, o%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Scales all grads[i] by min(1, max_norm/(‖grads‖₂ + 1e-6)), ‖·‖₂ over all of them together, and replaces the
  !> array's entries by the scaled tensors.
  !> @return   the norm before, 0-d, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE.
  !> effects:  lazy. Safe from any thread.
  function orr_clip_grad_norm(grads, max_norm, stat, errmsg) result(r_)
    type(orr_tensor), intent(inout) :: grads(:)
    class(*), intent(in) :: max_norm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_grads(max(1, ubound(grads, 1)))
    type(c_ptr) :: former_grads(max(1, ubound(grads, 1)))
    integer :: k_
    call f_all(grads, p_grads)
    former_grads = p_grads
    call f_made(r_, c_clip_grad_norm(f_file(), place_line, c_loc(p_grads), int(ubound(grads, 1), c_int), f_real(max_norm)), &
        stat, errmsg)
    do k_ = 1, ubound(grads, 1)
      if (.not. c_associated(p_grads(k_), former_grads(k_))) call f_result(grads(k_), p_grads(k_))
    end do
  end function

  !> Sets the learning rate of later steps. The plan stays the same.
  !> errors:   ORR_EINVAL (negative, not finite). 0: the variables stay.
  subroutine orr_optim_set_lr(o, lr, stat, errmsg)
    type(orr_optim), intent(in) :: o
    class(*), intent(in) :: lr
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_optim_set_lr(f_file(), place_line, o%p, f_real(lr))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns the learning rate; 0 for NULL.
  function orr_optim_lr(o) result(r_)
    type(orr_optim), intent(in) :: o
    real(c_double) :: r_
    r_ = c_optim_lr(o%p)
  end function

  !> Returns the number of steps made; 0 for NULL.
  function orr_optim_steps(o) result(r_)
    type(orr_optim), intent(in) :: o
    integer(c_int64_t) :: r_
    r_ = c_optim_steps(o%p)
  end function

  !> Writes up to `max` state variables ("0.momentum", "0.square", "0.mean", …; "0.unsent": orr_data_parallel with compress). Borrowed.
  !> @return   the number of all of them.
  function orr_optim_state(o, out) result(r_)
    type(orr_optim), intent(in) :: o
    type(orr_parameter), intent(inout), target, contiguous :: out(:)
    integer(c_int) :: r_
    r_ = c_optim_state(o%p, c_loc(out), int(ubound(out, 1), c_int))
  end function

  !> Writes state and step count to the .npz file `path`, and under "optimiser" their kind, the number of variables,
  !> and that of state variables of each. Evaluates them. Ranks: as orr_module_save.
  !> errors:   as orr_module_save.
  subroutine orr_optim_save(o, path, stat, errmsg)
    type(orr_optim), intent(in) :: o
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_optim_save(f_file(), place_line, o%p, p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads state and step count from `path`, all or nothing. Ranks: as orr_module_load.
  !> errors:   as orr_module_load; ORR_EINVAL (the file is of another kind of optimiser, of options with other state,
  !>           or of another number of variables).
  subroutine orr_optim_load(o, path, stat, errmsg)
    type(orr_optim), intent(in) :: o
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_optim_load(f_file(), place_line, o%p, p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Makes an empty checkpoint for the files PATH.0.npz and PATH.1.npz. Nothing is read or written yet.
  !> @param path  without an ending; its folder exists
  !> @return      free with orr_checkpoint_free; NULL on ORR_EINVAL (NULL, empty, too long), ORR_ENOMEM.
  function orr_checkpoint_new(path, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_checkpoint) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    r_%p = c_checkpoint_new(f_file(), place_line, p_path)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Frees the list; parts and files stay. NULL is fine.
  subroutine orr_checkpoint_free(c)
    type(orr_checkpoint), intent(in) :: c
    call c_checkpoint_free(c%p)
  end subroutine

  !> Adds a variable (borrowed) under a name of its own. bfloat16 is kept as float32, which is exact.
  !> errors:   ORR_EINVAL (NULL, no variable, the name is empty, taken or longer than 63 bytes), ORR_ENOMEM.
  subroutine orr_checkpoint_add_variable(c, name, variable, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(orr_tensor), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_variable(f_file(), place_line, c%p, p_name, f_of(variable))
    call f_drop(variable)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Adds all parameters and states of a module (borrowed).
  !> errors:   as orr_checkpoint_add_variable.
  subroutine orr_checkpoint_add_module(c, name, m, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(orr_module), intent(in) :: m
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_module(f_file(), place_line, c%p, p_name, m%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Adds the state, the number of steps and the learning rate of an optimiser (borrowed).
  !> errors:   as orr_checkpoint_add_variable.
  subroutine orr_checkpoint_add_optim(c, name, o, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(orr_optim), intent(in) :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_optim(f_file(), place_line, c%p, p_name, o%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Adds `bytes` bytes of the program's memory (borrowed), which hold no pointers.
  !> errors:   as orr_checkpoint_add_variable.
  subroutine orr_checkpoint_add_bytes(c, name, data, bytes, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: data
    class(*), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_bytes(f_file(), place_line, c%p, p_name, data, int(f_int(bytes), c_size_t))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Evaluates all parts and writes them over the older generation. After an error both generations are as they were. Ranks: as
  !> orr_module_save.
  !> errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM, and those of orr_eval.
  subroutine orr_checkpoint_save(c, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_checkpoint_save(f_file(), place_line, c%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads the newest whole generation into the parts, all or nothing. A damaged one is left out, with a line in the log.
  !> Ranks: all ranks call it, and read the same file; none keeps more than its part of a distributed array.
  !> @param found  false: there is no file, and the parts are as they were. NULL is fine.
  !> errors:   ORR_EINVAL (the file is of other parts: the message names the first difference), ORR_ESHAPE, ORR_EDTYPE,
  !>           ORR_EFORMAT (both generations are damaged), ORR_EIO, ORR_ENOMEM, ORR_ERANK (the ranks see different files).
  subroutine orr_checkpoint_load(c, found, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    logical(c_bool), intent(inout), target :: found
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_checkpoint_load(f_file(), place_line, c%p, c_loc(found))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns the number of the generation that was last written or read, from 1; 0: none.
  function orr_checkpoint_generation(c) result(r_)
    type(orr_checkpoint), intent(in) :: c
    integer(c_int64_t) :: r_
    r_ = c_checkpoint_generation(c%p)
  end function

  !> Catches a signal that announces the end of the process: SIGTERM, or SIGUSR1 of Slurm's --signal. The handler only sets a flag;
  !> the loop calls orr_checkpoint_stopping or orr_checkpoint_due. Before orr_init too, and best there: orr_init may take
  !> seconds, and a signal that arrives before this call ends the process.
  !> errors:   ORR_EINVAL (the signal cannot be caught).
  subroutine orr_checkpoint_catch(signal, stat, errmsg)
    class(*), intent(in) :: signal
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_checkpoint_catch(f_file(), place_line, int(f_int(signal), c_int))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns whether a caught signal has arrived. Safe from any thread.
  function orr_checkpoint_stopping() result(r_)
    logical :: r_
    r_ = logical(c_checkpoint_stopping())
  end function

  !> Returns whether it is time to save: a caught signal has arrived, or `seconds` have passed since the last save or load, or
  !> since creation.
  function orr_checkpoint_due(c, seconds) result(r_)
    type(orr_checkpoint), intent(in) :: c
    class(*), intent(in) :: seconds
    logical :: r_
    r_ = logical(c_checkpoint_due(c%p, f_real(seconds)))
  end function

  !> y[n, o, i] = bias[o] + Σ over c and k of x[n, g·C/G + c, i·stride − before + k·dilation] · w[o, c, k], with zeros outside
  !> of x, and g the group of channel o. The kernel is not reversed (cross-correlation, as in PyTorch). A depthwise convolution
  !> has as many groups as channels. Data in the order N, spatial axes, C is permuted to this order by a view.
  !> @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
  !> @param w     (O, C/G, spatial axes of the kernel); G divides C and O
  !> @param bias  (O), or NULL for none
  !> @param o     options; NULL: the defaults
  !> @return   (N, O, …), along each axis (before + length + after − dilation·(kernel − 1) − 1)/stride + 1, rounded down; owned
  !>           by the current scope; poison on ORR_ESHAPE (also a kernel beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   f16 bf16 f32 f64, promoted; f16 and bf16 are summed in f32 and rounded once.
  !> grad:     dx = conv_transpose(g, w), dw = conv_weights(x, g), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
  !> effects:  lazy. Safe from any thread.
  function orr_conv(x, w, bias, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: w
    type(orr_tensor), intent(in), optional :: bias
    type(orr_conv_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_conv(f_file(), place_line, f_of(x), f_of(w), f_of(bias), p_o), stat, errmsg)
    call f_drop(x)
    call f_drop(w)
    call f_drop(bias)
  end function

  !> The transposed convolution, the derivative of orr_conv by its input: x[n, c, j] = bias[c] + Σ of y[n, o, i] · w[o, c, k]
  !> over the o of the group and the i and k with i·stride − before + k·dilation = j.
  !> @param y     (N, O, L), (N, O, H, W) or (N, O, D, H, W)
  !> @param w     (O, C/G, spatial axes of the kernel); G divides O
  !> @param bias  (C), or NULL for none
  !> @param o     options; NULL: the defaults. Padding makes the result smaller. output_padding is below the stride or the
  !>              dilation. `same` is for orr_conv.
  !> @return   (N, C, …), along each axis (length − 1)·stride − before − after + dilation·(kernel − 1) + output_padding + 1;
  !>           owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   as orr_conv.
  !> grad:     dy = conv(g, w), dw = conv_weights(g, y), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
  !> effects:  lazy. Safe from any thread.
  function orr_conv_transpose(y, w, bias, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: w
    type(orr_tensor), intent(in), optional :: bias
    type(orr_conv_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_conv_transpose(f_file(), place_line, f_of(y), f_of(w), f_of(bias), p_o), stat, errmsg)
    call f_drop(y)
    call f_drop(w)
    call f_drop(bias)
  end function

  !> The correlation of an input and a result of orr_conv, the derivative by its kernel: w[o, c, k] = Σ over n and i of
  !> x[n, g·C/G + c, i·stride − before + k·dilation] · y[n, o, i].
  !> @param x       (N, C, …), as of orr_conv    @param y  (N, O, …), as its result
  !> @param kernel  the lengths of the kernel's spatial axes
  !> @param o       the options of that convolution; NULL: the defaults
  !> @return   (O, C/G, …kernel), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   as orr_conv.
  !> grad:     dx = conv_transpose(y, g), dy = conv(x, g).      cost: 2·|y|·C/G·|kernel| flop.
  !> effects:  lazy. Safe from any thread.
  function orr_conv_weights(x, y, kernel, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: kernel(:)
    type(orr_conv_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_conv_weights(f_file(), place_line, f_of(x), f_of(y), f_shape(kernel), p_o), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> The maximum of each window. A NaN is the maximum; padding never is.
  !> @param x  (N, C, L), (N, C, H, W) or (N, C, D, H, W)
  !> @param o  options: the window, or the size
  !> @return   (N, C, …), along each axis (length + 2·padding − dilation·(window − 1) − 1)/stride + 1, or the size; owned by the
  !>           current scope; poison on ORR_ESHAPE (a window beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   f16 bf16 f32 f64.      grad: g to the first maximum of each window.      cost: 1 per element of a window.
  !> effects:  lazy. Safe from any thread.
  function orr_max_pool(x, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_max_pool(f_file(), place_line, f_of(x), p_o), stat, errmsg)
    call f_drop(x)
  end function

  !> The places of the maxima of orr_max_pool: i64, numbers of elements in the spatial axes of x, in row-major order; of
  !> equal maxima the first. No gradient.
  function orr_max_pool_indices(x, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_max_pool_indices(f_file(), place_line, f_of(x), p_o), stat, errmsg)
    call f_drop(x)
  end function

  !> Zeros of shape (N, C, …size) with y's elements at `indices`, as orr_max_pool_indices numbers them. Elements with the same
  !> index are added.
  !> @param y, indices  of one shape    @param size  lengths of the spatial axes
  !> @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. An index out of range is found by evaluation
  !>           (ORR_EINDEX).
  !> dtypes:   y floats, indices integers.      grad: g at the indices.      cost: 1 per element.
  function orr_max_unpool(y, indices, size, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in) :: indices
    class(*), intent(in) :: size(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_max_unpool(f_file(), place_line, f_of(y), f_of(indices), f_shape(size)), stat, errmsg)
    call f_drop(y)
    call f_drop(indices)
  end function

  !> The mean of each window. Padding counts as zeros, unless exclude_padding; elements beyond the padding (round_up) do
  !> not count. Parameters, result and dtypes as orr_max_pool.
  !> grad:     g, divided by the same counts, to all elements of each window.      cost: 2 per element of a window.
  function orr_average_pool(x, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_average_pool(f_file(), place_line, f_of(x), p_o), stat, errmsg)
    call f_drop(x)
  end function

  !> (Σ x^p)^(1/p) over each window, NaN for a negative sum; padding and elements beyond it count as zeros. p > 0. Parameters, result and
  !> dtypes as orr_max_pool; no adaptive size. grad: by the formula; at a window of zeros with p > 1 it is NaN.
  function orr_lp_pool(x, p, o, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: p
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_o
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    call f_made(r_, c_lp_pool(f_file(), place_line, f_of(x), f_real(p), p_o), stat, errmsg)
    call f_drop(x)
  end function

  !> x with other lengths of its spatial axes, one axis after the other. Neighbours beyond the border are the elements at the
  !> border.
  !> @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
  !> @param size  the lengths of the spatial axes, ≥ 1
  !> @param align_corners  for ORR_RESIZE_LINEAR and ORR_RESIZE_CUBIC: the first and last elements stay where they are
  !> @return   (N, C, …size), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   f16 bf16 f32 f64; f16 and bf16 are computed in f32 and rounded once.
  !> grad:     the transposed sums.      cost: 2 per neighbour and element, for each axis.
  !> effects:  lazy. Safe from any thread.
  function orr_resize(x, size, mode, align_corners, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: size(:)
    integer, intent(in), optional :: mode
    logical, intent(in), optional :: align_corners
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_resize(f_file(), place_line, f_of(x), f_shape(size), f_enum(mode), f_bool(align_corners)), stat, &
        errmsg)
    call f_drop(x)
  end function

  !> y = f(conv(x, w, b)): orr_conv_layer(3, 64, ORR_SHAPE(7, 7), &(orr_conv_options){ .stride = { 2, 2 } }, f, init).
  !> @param in, out  channels, ≥ 1; the groups divide them
  !> @param kernel   the lengths of the kernel's one, two or three spatial axes
  !> @param o        options, copied; NULL: the defaults
  !> @param weight   rule for w, whose fan_in is |kernel|·in/groups and fan_out |kernel|·out (transposed:
  !>                 of out/groups and in); the default rule is PyTorch's
  !> @param bias     rule for b; ORR_INITIALISER_NONE: no bias
  !> @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
  !> dtypes:   f32.      parameters: "weight" (out, in/groups, …), "bias" (out).
  function orr_conv_layer(in, out, kernel, o, f, weight, bias, stat, errmsg) result(r_)
    class(*), intent(in) :: in
    class(*), intent(in) :: out
    class(*), intent(in) :: kernel(:)
    type(orr_conv_options), intent(in), optional, target :: o
    integer, intent(in), optional :: f
    type(orr_initialiser), intent(in), optional :: weight
    type(orr_initialiser), intent(in), optional :: bias
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_o
    type(orr_initialiser) :: s_weight
    type(orr_initialiser) :: s_bias
    integer(c_int) :: status_
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    if (present(weight)) s_weight = weight
    if (present(bias)) s_bias = bias
    r_%p = c_conv_layer(f_file(), place_line, f_int(in), f_int(out), f_shape(kernel), p_o, f_enum(f), s_weight, s_bias)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> As orr_conv_layer with a transposed convolution. parameters: "weight" (in, out/groups, …), "bias" (out).
  function orr_conv_transpose_layer(in, out, kernel, o, f, weight, bias, stat, errmsg) result(r_)
    class(*), intent(in) :: in
    class(*), intent(in) :: out
    class(*), intent(in) :: kernel(:)
    type(orr_conv_options), intent(in), optional, target :: o
    integer, intent(in), optional :: f
    type(orr_initialiser), intent(in), optional :: weight
    type(orr_initialiser), intent(in), optional :: bias
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_o
    type(orr_initialiser) :: s_weight
    type(orr_initialiser) :: s_bias
    integer(c_int) :: status_
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    if (present(weight)) s_weight = weight
    if (present(bias)) s_bias = bias
    r_%p = c_conv_transpose_layer(f_file(), place_line, f_int(in), f_int(out), f_shape(kernel), p_o, f_enum(f), s_weight, &
        s_bias)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_max_pool as a module without parameters. The options are copied.
  function orr_max_pool_layer(o, stat, errmsg) result(r_)
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_o
    integer(c_int) :: status_
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    r_%p = c_max_pool_layer(f_file(), place_line, p_o)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_average_pool as a module without parameters. The options are copied.
  function orr_average_pool_layer(o, stat, errmsg) result(r_)
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_o
    integer(c_int) :: status_
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    r_%p = c_average_pool_layer(f_file(), place_line, p_o)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_lp_pool as a module without parameters. The options are copied. p > 0.
  function orr_lp_pool_layer(p, o, stat, errmsg) result(r_)
    class(*), intent(in) :: p
    type(orr_pool_options), intent(in), optional, target :: o
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_o
    integer(c_int) :: status_
    p_o = c_null_ptr
    if (present(o)) p_o = c_loc(o)
    r_%p = c_lp_pool_layer(f_file(), place_line, f_real(p), p_o)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_max_unpool to the lengths `size` as a module without parameters. inputs: y, indices.
  function orr_max_unpool_layer(size, stat, errmsg) result(r_)
    class(*), intent(in) :: size(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_max_unpool_layer(f_file(), place_line, f_shape(size))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_resize to the lengths `size` as a module without parameters.
  function orr_resize_layer(size, mode, align_corners, stat, errmsg) result(r_)
    class(*), intent(in) :: size(:)
    integer, intent(in), optional :: mode
    logical, intent(in), optional :: align_corners
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_resize_layer(f_file(), place_line, f_shape(size), f_enum(mode), f_bool(align_corners))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> (N, …) to (N, the product of the others), as a module without parameters.
  function orr_flatten_layer(stat, errmsg) result(r_)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_flatten_layer(f_file(), place_line)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> −weight[label]·logp[label] for each example. MEAN divides the sum by the sum of weight[label] of all examples that are
  !> not ignored.
  !> @param logp    (…, classes), logarithms of probabilities, a float dtype
  !> @param labels  (…), integers 0 … classes−1
  !> @param options NULL: all zero; label_smoothing is not used
  !> @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL.
  !> grad:     by logp and weight.
  function orr_nll_loss(logp, labels, options, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: logp
    type(orr_tensor), intent(in) :: labels
    type(orr_class_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_options
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    call f_made(r_, c_nll_loss(f_file(), place_line, f_of(logp), f_of(labels), p_options), stat, errmsg)
    call f_drop(logp)
    call f_drop(labels)
  end function

  !> −Σ weight·t·log_softmax(logits) over the classes, for each example. t is one_hot(target), or `target` itself if it is a
  !> float tensor of the shape of logits; with label smoothing s it is (1 − s)·t + s/classes. MEAN divides as orr_nll_loss,
  !> or by the number of examples if the targets are probabilities.
  !> @param logits  (…, classes), a float dtype    @param target  (…) integers, or (…, classes) floats
  !> @param options NULL: all zero
  !> @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL
  !>           (probabilities have no label to ignore).
  !> grad:     by logits, target as probabilities, and weight.
  function orr_cross_entropy_with(logits, target, options, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: logits
    type(orr_tensor), intent(in) :: target
    type(orr_class_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_options
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    call f_made(r_, c_cross_entropy_with(f_file(), place_line, f_of(logits), f_of(target), p_options), stat, errmsg)
    call f_drop(logits)
    call f_drop(target)
  end function

  !> weight·[(1 − y)·x + (1 + (positive − 1)·y)·softplus(−x)]: the binary cross-entropy of sigmoid(x), for x of any size.
  !> @param x, y      one shape; y in [0, 1]
  !> @param weight    broadcast to x; NULL: 1    @param positive  the factor of the positive term, broadcast to x; NULL: 1
  !> Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL. grad: by all.
  function orr_binary_cross_entropy_with_logits(x, y, weight, positive, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor), intent(in), optional :: weight
    type(orr_tensor), intent(in), optional :: positive
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_binary_cross_entropy_with_logits(f_file(), place_line, f_of(x), f_of(y), f_of(weight), &
        f_of(positive), f_enum(reduction)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
    call f_drop(weight)
    call f_drop(positive)
  end function

  !> (x − y)², with a reduction. x and y have one shape, or one of them is orr_scalar, here and below.
  !> Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (no such reduction), here and below. grad: by x and y, here and below.
  function orr_mse_loss(x, y, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_mse_loss(f_file(), place_line, f_of(x), f_of(y), f_enum(reduction)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> |x − y|. The derivative at x = y is 0.
  function orr_l1_loss(x, y, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_l1_loss(f_file(), place_line, f_of(x), f_of(y), f_enum(reduction)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> d²/2 where d = |x − y| ≤ delta, else delta·(d − delta/2).
  !> @param delta  > 0
  function orr_huber_loss(x, y, delta, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: delta
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_huber_loss(f_file(), place_line, f_of(x), f_of(y), f_real(delta), f_enum(reduction)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> t·(log t − logq): the Kullback-Leibler divergence of q from the target t; 0 where t is 0. logarithm: `target` holds
  !> log t. The divergence of a batch is ORR_REDUCTION_BATCH_MEAN.
  !> @param logq, target  one shape
  function orr_kl_loss(logq, target, logarithm, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: logq
    type(orr_tensor), intent(in) :: target
    logical, intent(in), optional :: logarithm
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_kl_loss(f_file(), place_line, f_of(logq), f_of(target), f_bool(logarithm), f_enum(reduction)), stat, &
        errmsg)
    call f_drop(logq)
    call f_drop(target)
  end function

  !> Σ x·y / (max(‖x‖, eps)·max(‖y‖, eps)) along the axis, which is removed. x and y broadcast.
  !> Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EAXIS.
  function orr_cosine_similarity(x, y, axis, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: axis
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cosine_similarity(f_file(), place_line, f_of(x), f_of(y), int(f_int(axis), c_int), f_real(eps)), &
        stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> 1 − c where y > 0, else max(0, c − margin), with c = Σ a·b / √((Σ a² + ε)(Σ b² + ε)) along the last axis and ε = 1e-12.
  !> @param a, b  (…, n)    @param y  (…), 1 for similar pairs and −1 for others; any dtype that has a sign
  function orr_cosine_loss(a, b, y, margin, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: a
    type(orr_tensor), intent(in) :: b
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: margin
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_cosine_loss(f_file(), place_line, f_of(a), f_of(b), f_of(y), f_real(margin), f_enum(reduction)), &
        stat, errmsg)
    call f_drop(a)
    call f_drop(b)
    call f_drop(y)
  end function

  !> max(0, margin − y·x): the hinge of a linear classifier.
  !> @param x, y  one shape; y is 1 or −1
  function orr_hinge_loss(x, y, margin, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: margin
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hinge_loss(f_file(), place_line, f_of(x), f_of(y), f_real(margin), f_enum(reduction)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> x where y > 0, else max(0, margin − x): x is the distance of a pair that is similar (y = 1) or not (y = −1).
  function orr_hinge_embedding_loss(x, y, margin, reduction, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    class(*), intent(in) :: margin
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_hinge_embedding_loss(f_file(), place_line, f_of(x), f_of(y), f_real(margin), f_enum(reduction)), &
        stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> −log of the probability of a label sequence, summed over all alignments that collapse to it (connectionist temporal
  !> classification; A. Graves et al., ICML 2006). MEAN divides each loss by the length of its target, at least 1, first.
  !> @param logp            (time, batch, classes), logarithms of probabilities; f32 or f64
  !> @param targets         (batch, longest), integers other than `blank`; elements beyond a target's length are not read
  !> @param input_lengths   (batch), integers 0 … time     @param target_lengths  (batch), integers 0 … longest
  !> @param blank           the class that stands for no label
  !> @param zero_infinity   true: loss and gradient of a target without any alignment are 0; false: its loss is inf
  !> @return   () or (batch). Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL; ORR_EINDEX (by evaluation: a length or a label is out
  !>           of range).
  !> grad:     by logp, once; a second derivative is refused. cost: time·longest a sequence.
  function orr_ctc_loss(logp, targets, input_lengths, target_lengths, blank, zero_infinity, reduction, stat, &
      errmsg) result(r_)
    type(orr_tensor), intent(in) :: logp
    type(orr_tensor), intent(in) :: targets
    type(orr_tensor), intent(in) :: input_lengths
    type(orr_tensor), intent(in) :: target_lengths
    class(*), intent(in) :: blank
    logical, intent(in), optional :: zero_infinity
    integer, intent(in), optional :: reduction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_ctc_loss(f_file(), place_line, f_of(logp), f_of(targets), f_of(input_lengths), f_of(target_lengths), &
        f_int(blank), f_bool(zero_infinity), f_enum(reduction)), stat, errmsg)
    call f_drop(logp)
    call f_drop(targets)
    call f_drop(input_lengths)
    call f_drop(target_lengths)
  end function

  !> (x − mean)/√(var + eps)·weight + bias, with mean and biased variance over the last `axes` axes of each example.
  !> @param axes          1 … rank of x    @param weight, bias  of the shape of these axes
  function orr_layer_norm(x, axes, weight, bias, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axes
    type(orr_tensor), intent(in) :: weight
    type(orr_tensor), intent(in) :: bias
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_layer_norm(f_file(), place_line, f_of(x), int(f_int(axes), c_int), f_of(weight), f_of(bias), &
        f_real(eps)), stat, errmsg)
    call f_drop(x)
    call f_drop(weight)
    call f_drop(bias)
  end function

  !> x/√(mean(x²) + eps)·weight over the last `axes` axes (B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization",
  !> 2019). Otherwise as orr_layer_norm.
  function orr_rms_norm(x, axes, weight, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axes
    type(orr_tensor), intent(in) :: weight
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rms_norm(f_file(), place_line, f_of(x), int(f_int(axes), c_int), f_of(weight), f_real(eps)), stat, &
        errmsg)
    call f_drop(x)
    call f_drop(weight)
  end function

  !> As orr_layer_norm over each of `groups` groups of neighbouring channels and all places of an example.
  !> @param x       (batch, channels, …)    @param groups  divides the channels    @param weight, bias  (channels)
  function orr_group_norm(x, groups, weight, bias, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: groups
    type(orr_tensor), intent(in) :: weight
    type(orr_tensor), intent(in) :: bias
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_group_norm(f_file(), place_line, f_of(x), f_int(groups), f_of(weight), f_of(bias), f_real(eps)), &
        stat, errmsg)
    call f_drop(x)
    call f_drop(weight)
    call f_drop(bias)
  end function

  !> As orr_group_norm with a group for each channel.
  function orr_instance_norm(x, weight, bias, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: weight
    type(orr_tensor), intent(in) :: bias
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_instance_norm(f_file(), place_line, f_of(x), f_of(weight), f_of(bias), f_real(eps)), stat, errmsg)
    call f_drop(x)
    call f_drop(weight)
    call f_drop(bias)
  end function

  !> (x − mean)/√(var + eps)·weight + bias for each channel, with given statistics: inference.
  !> @param x  (batch, channels, …)    @param mean, var, weight, bias  (channels); mean and var are not NULL
  function orr_batch_norm(x, mean, var, weight, bias, eps, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: mean
    type(orr_tensor), intent(in) :: var
    type(orr_tensor), intent(in) :: weight
    type(orr_tensor), intent(in) :: bias
    class(*), intent(in) :: eps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_batch_norm(f_file(), place_line, f_of(x), f_of(mean), f_of(var), f_of(weight), f_of(bias), &
        f_real(eps)), stat, errmsg)
    call f_drop(x)
    call f_drop(mean)
    call f_drop(var)
    call f_drop(weight)
    call f_drop(bias)
  end function

  !> As orr_batch_norm with the mean and the biased variance of the batch: training.
  !> @param mean, var  set to the batch's mean and unbiased variance, detached, for running statistics; NULL: not set
  !> errors:   ORR_ESHAPE (a channel has fewer than two values).
  function orr_batch_norm_training(x, weight, bias, eps, mean, var, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: weight
    type(orr_tensor), intent(in) :: bias
    class(*), intent(in) :: eps
    type(orr_tensor), intent(inout), optional :: mean
    type(orr_tensor), intent(inout), optional :: var
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_mean
    type(c_ptr) :: q_mean
    type(c_ptr), target :: p_var
    type(c_ptr) :: q_var
    p_mean = c_null_ptr
    q_mean = c_null_ptr
    if (present(mean)) q_mean = c_loc(p_mean)
    p_var = c_null_ptr
    q_var = c_null_ptr
    if (present(var)) q_var = c_loc(p_var)
    call f_made(r_, c_batch_norm_training(f_file(), place_line, f_of(x), f_of(weight), f_of(bias), f_real(eps), q_mean, &
        q_var), stat, errmsg)
    call f_drop(x)
    call f_drop(weight)
    call f_drop(bias)
    if (present(mean)) then
      call f_result(mean, p_mean)
    end if
    if (present(var)) then
      call f_result(var, p_var)
    end if
  end function

  !> x/(k + alpha·a)^beta, where a is the mean of x² over `size` neighbouring channels, with zeros beyond the first and
  !> the last (A. Krizhevsky et al., 2012, with PyTorch's mean for their sum).
  !> @param x  (batch, channels, …)    @param size  ≥ 1
  function orr_local_response_norm(x, size, alpha, beta, k, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: size
    class(*), intent(in) :: alpha
    class(*), intent(in) :: beta
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_local_response_norm(f_file(), place_line, f_of(x), f_int(size), f_real(alpha), f_real(beta), &
        f_real(k)), stat, errmsg)
    call f_drop(x)
  end function

  !> x/(1 − p) where a random number of this thread's next stream is ≥ p, else 0. Fused with its neighbours; the same numbers
  !> on every device and in the gradient.
  !> @param p  in [0, 1]; 0: x
  function orr_dropout(x, p, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dropout(f_file(), place_line, f_of(x), f_real(p)), stat, errmsg)
    call f_drop(x)
  end function

  !> The rows of `table` selected by the indices.
  !> @param table    (rows, width)    @param indices  any shape, integers 0 … rows−1; negative ones count from the end, as of
  !>                 orr_take
  !> @param padding  the row that gets no gradient; −1: none
  !> @return   the shape of indices with a last axis of `width`, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE,
  !>           ORR_EINVAL; an index out of range is found by evaluation (ORR_EINDEX).
  !> grad:     by table: the sum of g for each row.      effects: lazy. Safe from any thread.
  function orr_embedding(table, indices, padding, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: table
    type(orr_tensor), intent(in) :: indices
    class(*), intent(in) :: padding
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_embedding(f_file(), place_line, f_of(table), f_of(indices), f_int(padding)), stat, errmsg)
    call f_drop(table)
    call f_drop(indices)
  end function

  !> Sines in the even columns, cosines in the odd ones: sin(t·10000^(−2i/width)) in column 2i (A. Vaswani et al., "Attention
  !> Is All You Need", 2017). Add it to the embeddings.
  !> @param first   the position of row 0    @param width  even
  !> @return   (length, width) of `dtype`, a float dtype, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
  function orr_sinusoidal_positions(dtype, first, length, width, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: first
    class(*), intent(in) :: length
    class(*), intent(in) :: width
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_sinusoidal_positions(f_file(), place_line, int(dtype, c_int), f_int(first), f_int(length), &
        f_int(width)), stat, errmsg)
  end function

  !> Each pair of columns (a, b) of row t rotated by the angle (first + t)·base^(−2i/width) of pair i: (a·cos − b·sin,
  !> a·sin + b·cos) (J. Su et al., "RoFormer", 2021). Queries and keys are rotated in the same way.
  !> @param x       (…, length, width), width even, a float dtype    @param first  the position of row 0
  !> @param base    10000 in the paper
  !> @param paired  true: pairs are neighbours (2i, 2i + 1), as in the paper; false: (i, i + width/2), as in GPT-NeoX and
  !>                Llama
  !> @return   like x, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
  !> grad:     g rotated back.
  function orr_rotary(x, first, base, paired, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: first
    class(*), intent(in) :: base
    logical, intent(in), optional :: paired
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_rotary(f_file(), place_line, f_of(x), f_int(first), f_real(base), f_bool(paired)), stat, errmsg)
    call f_drop(x)
  end function

  !> −slope·(i − j), to be added to the scores of query i and key j: attention with linear biases (O. Press et al., 2021).
  !> For a power of 2, the slopes are 2^(−8(h+1)/heads); else those of the next lower power and every other one of the next
  !> higher. The last query is at the place of the last key.
  !> @return   (heads, queries, keys) of `dtype`, a float dtype; poison on ORR_ESHAPE, ORR_EDTYPE.
  function orr_alibi(dtype, heads, queries, keys, stat, errmsg) result(r_)
    integer, intent(in) :: dtype
    class(*), intent(in) :: heads
    class(*), intent(in) :: queries
    class(*), intent(in) :: keys
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_alibi(f_file(), place_line, int(dtype, c_int), f_int(heads), f_int(queries), f_int(keys)), stat, &
        errmsg)
  end function

  !> softmax(scale·q·kᵀ + mask)·v for each head. Memory grows with the length, not with its square, forward and backward: one
  !> tile of the scores is in memory at a time, and the gradient computes them again (T. Dao et al., "FlashAttention", 2022).
  !> @param q     (…, heads, queries, width)
  !> @param k, v  (…, kv heads, keys, width) and (…, kv heads, keys, value); kv heads divide heads: neighbouring heads of q share
  !>              one of k and v
  !> @param mask  broadcast to (…, heads, queries, keys): bool, true where a key is seen, or a float that is added; NULL: none
  !> @param options  NULL: all zero
  !> @return   (…, heads, queries, value), owned by the current scope; 0 for a query that sees no key; poison on ORR_ESHAPE,
  !>           ORR_EDTYPE, ORR_EINVAL.
  !> dtypes:   floats, promoted; f16 and bf16 are computed in f32 and rounded once. On CUDA's tensor cores the weights are
  !>           rounded to the dtype, too, before they multiply v.
  !> grad:     by q, k, v in tiles; by the mask, and second derivatives, with all scores in memory.
  !> cost:     2·queries·keys·(width + value) flop a head; 2.5 times as much backward. On the CPU.
  !> effects:  lazy. Safe from any thread.
  function orr_attention(q, k, v, mask, options, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: q
    type(orr_tensor), intent(in) :: k
    type(orr_tensor), intent(in) :: v
    type(orr_tensor), intent(in), optional :: mask
    type(orr_attention_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_options
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    call f_made(r_, c_attention(f_file(), place_line, f_of(q), f_of(k), f_of(v), f_of(mask), p_options), stat, errmsg)
    call f_drop(q)
    call f_drop(k)
    call f_drop(v)
    call f_drop(mask)
  end function

  !> orr_layer_norm over the last axes, whose shape is `shape`. parameters: "weight", "bias". options NULL: all zero.
  function orr_layer_norm_layer(shape, options, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    type(orr_norm_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_layer_norm_layer(f_file(), place_line, f_shape(shape), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_rms_norm over the last axes, whose shape is `shape`. parameters: "weight".
  function orr_rms_norm_layer(shape, options, stat, errmsg) result(r_)
    class(*), intent(in) :: shape(:)
    type(orr_norm_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_rms_norm_layer(f_file(), place_line, f_shape(shape), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_group_norm of `channels`. parameters: "weight", "bias".
  function orr_group_norm_layer(channels, groups, options, stat, errmsg) result(r_)
    class(*), intent(in) :: channels
    class(*), intent(in) :: groups
    type(orr_norm_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_group_norm_layer(f_file(), place_line, f_int(channels), f_int(groups), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_instance_norm of `channels`. parameters: "weight", "bias".
  function orr_instance_norm_layer(channels, options, stat, errmsg) result(r_)
    class(*), intent(in) :: channels
    type(orr_norm_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_instance_norm_layer(f_file(), place_line, f_int(channels), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_local_response_norm over `size` ≥ 1 neighbouring channels, without parameters.
  function orr_local_response_norm_layer(size, alpha, beta, k, stat, errmsg) result(r_)
    class(*), intent(in) :: size
    class(*), intent(in) :: alpha
    class(*), intent(in) :: beta
    class(*), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_local_response_norm_layer(f_file(), place_line, f_int(size), f_real(alpha), f_real(beta), f_real(k))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_batch_norm_training in training mode, with an update of the running statistics; in inference orr_batch_norm with
  !> these.
  !> parameters: "weight", "bias"; states: "running_mean", "running_var", which an evaluation after the application assigns.
  function orr_batch_norm_layer(channels, options, stat, errmsg) result(r_)
    class(*), intent(in) :: channels
    type(orr_norm_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_batch_norm_layer(f_file(), place_line, f_int(channels), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_dropout in training mode, x in inference. p in [0, 1].
  function orr_dropout_layer(p, stat, errmsg) result(r_)
    class(*), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_dropout_layer(f_file(), place_line, f_real(p))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> orr_embedding with a table of `rows` rows from N(0, 1); the row `padding` is 0 and stays 0; −1: none.
  !> parameters: "weight".
  function orr_embedding_layer(rows, width, padding, stat, errmsg) result(r_)
    class(*), intent(in) :: rows
    class(*), intent(in) :: width
    class(*), intent(in) :: padding
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_embedding_layer(f_file(), place_line, f_int(rows), f_int(width), f_int(padding))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> x + orr_sinusoidal_positions of its last two axes (…, length, width), width even, without parameters. With a cache,
  !> positions continue from the length of the cache.
  function orr_sinusoidal_layer(stat, errmsg) result(r_)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    integer(c_int) :: status_
    r_%p = c_sinusoidal_layer(f_file(), place_line)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Attention of several heads between dense layers: y = output(heads of attention(query(q), key(k), value(v))).
  !> inputs: orr_forward: x (batch, length, width), self-attention; orr_forward_all: q, k, v and a mask, where k NULL means q,
  !> v NULL means k, and mask NULL means none.
  !> @param heads  divides width
  !> parameters: "query.weight", "query.bias", "key.weight" …, "value.weight" …, "output.weight" …
  function orr_multi_head_attention(width, heads, options, stat, errmsg) result(r_)
    class(*), intent(in) :: width
    class(*), intent(in) :: heads
    type(orr_heads_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_multi_head_attention(f_file(), place_line, f_int(width), f_int(heads), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> A block of a transformer's encoder, or with options->causal of a decoder without memory: self-attention and two dense
  !> layers, width → hidden → width, each added to its input and normalised.
  !> inputs: x (batch, length, width), and a mask or NULL.
  !> parameters: "attention.query.weight" …, "norm1.weight" …, "expand.weight" …, "contract.weight" …, "norm2.weight" …
  function orr_encoder_block(width, heads, hidden, options, stat, errmsg) result(r_)
    class(*), intent(in) :: width
    class(*), intent(in) :: heads
    class(*), intent(in) :: hidden
    type(orr_heads_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_encoder_block(f_file(), place_line, f_int(width), f_int(heads), f_int(hidden), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> A block of a transformer's decoder: causal self-attention, attention to a memory, two dense layers, each added to its
  !> input and normalised.
  !> inputs: x (batch, length, width), memory (batch, other length, width), a mask of x, a mask of the memory, each or NULL.
  !> parameters: "attention…", "norm1…", "memory.query.weight" …, "norm2…", "expand…", "contract…", "norm3…"
  function orr_decoder_block(width, heads, hidden, options, stat, errmsg) result(r_)
    class(*), intent(in) :: width
    class(*), intent(in) :: heads
    class(*), intent(in) :: hidden
    type(orr_heads_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_decoder_block(f_file(), place_line, f_int(width), f_int(heads), f_int(hidden), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> An empty cache for `batch` sequences of up to `capacity` places of the module m, which must outlive it. m takes one input,
  !> and each of its results must depend on its own place or on earlier ones through self-attention. Of the layers of this
  !> library these are: dense layers, activations, dropout, embeddings, sinusoidal positions, orr_layer_norm_layer and
  !> orr_rms_norm_layer of one axis, attention and encoder blocks with .causal, and orr_sequential and orr_residual of these.
  !> All others are refused. A module or function of the program's own, with its parts, is taken on trust: if it mixes places
  !> (by a convolution, a recurrence without its states, a mean), the results are wrong; self-attention in it that is not
  !> causal is refused when it is applied. A decoder's block takes a memory too, so it is refused unless it is part of a module
  !> of the program's own that applies it to its input and the memory: orr_forward_all(block, ORR_TENSORS(x, memory)).
  !> @return   to be freed with orr_kv_cache_free; NULL on ORR_EINVAL (also a layer that is refused), ORR_ESHAPE, ORR_ENOMEM.
  function orr_kv_cache_new(m, batch, capacity, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    class(*), intent(in) :: batch
    class(*), intent(in) :: capacity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_kv_cache) :: r_
    integer(c_int) :: status_
    r_%p = c_kv_cache_new(f_file(), place_line, m%p, f_int(batch), f_int(capacity))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Applies the cache's module to the next n places, x (batch, n, …), in inference mode: self-attention also sees the places in
  !> the cache, and the new places are added to it. Every call with the same n has the same plan.
  !> errors:   as orr_forward; ORR_ESHAPE (another batch, more places than are left), ORR_EINVAL (the module trains).
  function orr_forward_cached(cache, x, stat, errmsg) result(r_)
    type(orr_kv_cache), intent(in) :: cache
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_forward_cached(f_file(), place_line, cache%p, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> Returns the number of places in the cache: the position of the next one; 0 for NULL.
  function orr_kv_cache_length(cache) result(r_)
    type(orr_kv_cache), intent(in) :: cache
    integer(c_int64_t) :: r_
    r_ = c_kv_cache_length(cache%p)
  end function

  !> Empties the cache.
  subroutine orr_kv_cache_clear(cache)
    type(orr_kv_cache), intent(in) :: cache
    call c_kv_cache_clear(cache%p)
  end subroutine

  !> Frees the cache. NULL is fine.
  subroutine orr_kv_cache_free(cache)
    type(orr_kv_cache), intent(in) :: cache
    call c_kv_cache_free(cache%p)
  end subroutine

  !> carry, y[t] = fn(carry, x[t]) for t = 0, 1, … Unrolled, the steps are recorded one after another: lazy, with gradients
  !> through time, and equal scans share one plan.
  !> @param options  NULL: all zero
  !> errors:   ORR_EINVAL (a list or fn is NULL, there is no step), ORR_ESHAPE, ORR_EDTYPE (lengths differ; a carry changes), and
  !>           for a loop those of orr_graph_build and orr_graph_submit; then every carry and y is poison. Owned by the current
  !>           scope.
  !> threads:  safe from any thread.
  subroutine orr_scan(fn, lists, user, options, stat, errmsg)
    type(c_funptr), intent(in) :: fn
    type(orr_scan_lists), intent(in), optional, target :: lists
    type(c_ptr), intent(in), optional :: user
    type(orr_scan_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_lists
    type(c_ptr) :: p_user
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_lists = c_null_ptr
    if (present(lists)) p_lists = c_loc(lists)
    p_user = c_null_ptr
    if (present(user)) p_user = user
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    status_ = c_scan(f_file(), place_line, fn, p_lists, p_user, p_options)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A recurrent layer: (batch, steps, in) → (batch, steps, hidden), or 2·hidden with two directions.
  !> inputs: x, and the lengths of the sequences (batch), integers, or NULL. From its length on the outputs of a sequence are 0 and
  !> its state stays. A length beyond the steps means all steps, and one below 0 means 0: neither is an error.
  !> parameters, of layer l and direction "" or "_reverse": "l0.input" (in, gates·hidden), "l0.hidden" (hidden, gates·hidden),
  !> "l0.input_bias", "l0.hidden_bias", from U(−1/√hidden, 1/√hidden): the transposes of PyTorch's.
  function orr_recurrent(cell, in, hidden, options, stat, errmsg) result(r_)
    integer, intent(in), optional :: cell
    class(*), intent(in) :: in
    class(*), intent(in) :: hidden
    type(orr_recurrent_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_module) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_recurrent(f_file(), place_line, f_enum(cell), f_int(in), f_int(hidden), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Applies a recurrent layer with its states.
  !> @param lengths  as above, or NULL
  !> @param state    {h}, or for an LSTM {h, c}, each (layers·directions, batch, hidden): the first states, NULL for zeros; replaced
  !>                 by the last ones. state NULL: zeros, and the last states are not needed
  !> @return   as orr_forward.
  function orr_recurrent_forward(m, x, lengths, state, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in), optional :: lengths
    type(orr_tensor), intent(inout), optional :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr), target :: p_state
    type(c_ptr) :: q_state
    p_state = c_null_ptr
    q_state = c_null_ptr
    if (present(state)) q_state = c_loc(p_state)
    call f_made(r_, c_recurrent_forward(f_file(), place_line, m%p, f_of(x), f_of(lengths), q_state), stat, errmsg)
    call f_drop(x)
    call f_drop(lengths)
    if (present(state)) then
      call f_result(state, p_state)
    end if
  end function

  !> Returns the learning rate of step t: orr_optim_set_lr(o, orr_schedule_lr(&s, orr_optim_steps(o))). NaN for an unknown rule,
  !> or if the rule needs `steps` or `every` and that is below 1.
  function orr_schedule_lr(s, t) result(r_)
    type(orr_schedule), intent(in), optional, target :: s
    class(*), intent(in) :: t
    real(c_double) :: r_
    type(c_ptr) :: p_s
    p_s = c_null_ptr
    if (present(s)) p_s = c_loc(s)
    r_ = c_schedule_lr(p_s, f_int(t))
  end function

  !> Reads the next loss and returns the new learning rate: lr, or factor·lr. A NaN is no better.
  function orr_plateau_lr(p, lr, loss) result(r_)
    type(orr_plateau), intent(inout), target :: p
    class(*), intent(in) :: lr
    class(*), intent(in) :: loss
    real(c_double) :: r_
    r_ = c_plateau_lr(c_loc(p), f_real(lr), f_real(loss))
  end function

  !> Reads the next loss; true: stop, since more than `patience` values were no better.
  function orr_early_stop_update(e, loss) result(r_)
    type(orr_early_stop), intent(inout), target :: e
    class(*), intent(in) :: loss
    logical :: r_
    r_ = logical(c_early_stop_update(c_loc(e), f_real(loss)))
  end function

  !> Mixed precision: from now on the products of this thread's dense layers have operands in `dtype`, f16 or bf16, and
  !> results in f32. Parameters, statistics, losses and optimisers stay in f32. ORR_F32: off.
  !> @return   the dtype before; ORR_F32 at first. Another dtype changes nothing (ORR_EDTYPE is the last error).
  function orr_autocast(dtype) result(r_)
    integer, intent(in) :: dtype
    integer(c_int) :: r_
    r_ = c_autocast(f_file(), place_line, int(dtype, c_int))
  end function

  !> One step down the gradient of scale·loss, divided by the scale. If every gradient is finite, the step is as orr_optim_step;
  !> otherwise no variable changes, the step does not count, and the scale is halved. Evaluates the gradients for this check.
  !> @param stepped  set to whether a step was made; NULL: not needed
  !> errors:   as orr_optim_step, and those of orr_eval.
  subroutine orr_optim_step_scaled(o, loss, scale, stepped, stat, errmsg)
    type(orr_optim), intent(in) :: o
    type(orr_tensor), intent(in) :: loss
    type(orr_loss_scale), intent(inout), target :: scale
    logical(c_bool), intent(inout), target, optional :: stepped
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_stepped
    integer(c_int) :: status_
    p_stepped = c_null_ptr
    if (present(stepped)) p_stepped = c_loc(stepped)
    status_ = c_optim_step_scaled(f_file(), place_line, o%p, f_of(loss), c_loc(scale), p_stepped)
    call f_drop(loss)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_forward(m, x) whose gradient computes the intermediate values again instead of keeping them, which trades time for memory
  !> (T. Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016). The same random numbers are drawn again, and running
  !> statistics are updated once.
  !> @param m  must outlive the gradients recorded through it; a function of the program's own must be pure
  !> @return   as orr_forward.
  !> grad:     by x and by the parameters of m, also second derivatives. Record it before a parameter is assigned.
  function orr_recompute(m, x, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_recompute(f_file(), place_line, m%p, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> An average that starts at the present values.
  !> @param decay  in [0, 1)
  !> @return   to be freed with orr_average_free; the module must outlive it; NULL on ORR_EINVAL, ORR_ENOMEM.
  function orr_average_new(m, decay, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    class(*), intent(in) :: decay
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_average) :: r_
    integer(c_int) :: status_
    r_%p = c_average_new(f_file(), place_line, m%p, f_real(decay))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> average = decay·average + (1 − decay)·parameter, for all of them. Lazy, as orr_assign.
  subroutine orr_average_update(a, stat, errmsg)
    type(orr_average), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_average_update(f_file(), place_line, a%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Exchanges averages and parameters. Call it before an evaluation of the network, and again after it.
  subroutine orr_average_swap(a, stat, errmsg)
    type(orr_average), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_average_swap(f_file(), place_line, a%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Frees the average, not the module. NULL is fine.
  subroutine orr_average_free(a)
    type(orr_average), intent(in) :: a
    call c_average_free(a%p)
  end subroutine

  !> Number of this process among the ranks, from 0; 0 without a launcher, and outside orr_init … orr_shutdown. Thread-safe.
  function orr_rank() result(r_)
    integer(c_int) :: r_
    r_ = c_rank()
  end function

  !> Number of ranks; 1 without a launcher, and outside orr_init … orr_shutdown. Thread-safe.
  function orr_ranks() result(r_)
    integer(c_int) :: r_
    r_ = c_ranks()
  end function

  !> Waits until every rank has called this function. Collective: all ranks call it, from one thread each.
  !> errors:   ORR_ERANK when a rank has failed, ORR_ESTATE before orr_init.
  subroutine orr_barrier(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_barrier(f_file(), place_line)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A grid whose extents multiply to orr_ranks().
  !> @param extent  [axes] numbers ≥ 1; one of them may be −1: all remaining ranks
  !> @return   to be freed with orr_grid_free; grids of the same extents are the same pointer. NULL on ORR_EINVAL, ORR_ENOMEM.
  !> Local: nothing is sent. Thread-safe.
  function orr_grid_make(extent, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: extent(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_grid) :: r_
    integer(c_int) :: status_
    r_%p = c_grid_make(f_file(), place_line, int(ubound(extent, 1), c_int), c_loc(extent))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Releases a grid. Tensors that are distributed over it keep it alive. NULL is fine.
  subroutine orr_grid_free(g)
    type(orr_grid), intent(in) :: g
    call c_grid_free(g%p)
  end subroutine

  !> This rank's place along an axis; −1 for an axis that the grid lacks or NULL.
  function orr_grid_place(g, axis) result(r_)
    type(orr_grid), intent(in) :: g
    class(*), intent(in) :: axis
    integer(c_int64_t) :: r_
    r_ = c_grid_place(g%p, int(f_int(axis), c_int))
  end function

  !> t, cut into blocks along axes of a process grid.
  !> @param axes  element g: the axis of t that is cut along axis g of the grid, or ORR_WHOLE; missing elements are ORR_WHOLE.
  !>              Negative axes count from the last. An axis of length n over p ranks: rank r has ⌈n/p⌉ places from r·⌈n/p⌉ on; the
  !>              last ranks may have fewer, or none.
  !> @return   a tensor of the same shape, dtype and value, owned by the current scope; t itself on a grid of one rank. Poison on
  !>           ORR_EINVAL, ORR_EAXIS.
  !> grad:     g.    effects: lazy; a replicated tensor is cut without a message. Safe from any thread.
  function orr_shard(t, grid, axes, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    type(orr_grid), intent(in) :: grid
    class(*), intent(in), optional :: axes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_shard(f_file(), place_line, f_of(t), grid%p, f_axes(axes)), stat, errmsg)
    call f_drop(t)
  end function

  !> As orr_shard, in blocks of a given length that are dealt to the ranks in turn: place i of an axis over p ranks is on rank
  !> (i / block) mod p.
  !> @param blocks  one for each of the axes; 0: ⌈n/p⌉, as in orr_shard
  function orr_shard_cyclic(t, grid, axes, blocks, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    type(orr_grid), intent(in) :: grid
    class(*), intent(in), optional :: axes(:)
    class(*), intent(in) :: blocks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_shard_cyclic(f_file(), place_line, f_of(t), grid%p, f_axes(axes), f_index(blocks)), stat, errmsg)
    call f_drop(t)
  end function

  !> t with its whole value on every rank. grad: g. effects: lazy. Safe from any thread.
  function orr_replicate(t, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_replicate(f_file(), place_line, f_of(t)), stat, errmsg)
    call f_drop(t)
  end function

  !> t in the distribution of `like`, which has the same shape and is not computed for this. grad: g by t. Poison on
  !> ORR_ESHAPE.
  !> effects: lazy. Safe from any thread.
  function orr_redistribute(t, like, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    type(orr_tensor), intent(in) :: like
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_redistribute(f_file(), place_line, f_of(t), f_of(like)), stat, errmsg)
    call f_drop(t)
    call f_drop(like)
  end function

  !> Returns the distribution of the value of t: "replicated", or "axis 0 over 4 ranks in blocks of 25". For a tensor without a
  !> value: the distribution that orr_shard requested, else "not evaluated". Valid until the thread's next call of it. Never NULL.
  function orr_distribution(t) result(r_)
    type(orr_tensor), intent(in) :: t
    character(:), allocatable :: r_
    r_ = f_string(c_distribution(f_of(t)))
    call f_drop(t)
  end function

  !> A loader of n arrays with the same number of examples along axis 0: images and labels. They are evaluated, and kept until the
  !> loader is freed. Crop and flip depend on seed, epoch and example alone, so runs are reproducible whatever the timing.
  !> @return   to be freed with orr_loader_free, before orr_shutdown; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and the errors of
  !>           orr_eval.
  function orr_loader_new(arrays, options, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: arrays(:)
    type(orr_loader_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_loader) :: r_
    type(c_ptr), target :: p_arrays(max(1, ubound(arrays, 1)))
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    call f_all(arrays, p_arrays)
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_loader_new(f_file(), place_line, c_loc(p_arrays), int(ubound(arrays, 1), c_int), p_options)
    call f_drop_all(arrays)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> A loader of the PNG and JPEG files in the subfolders of `path`: batch[0] is u8 (batch, channels, height, width), batch[1] i64
  !> (batch), the numbers of the subfolders, which are sorted by name. The files (.png, .jpg, .jpeg) are listed now, and read on the
  !> loader's thread in each epoch, so that memory holds only a few batches.
  !> @param channels  1: colours are converted to luma (ITU-R BT.601); 3: grey becomes three equal colours; alpha is left out
  !> @param height, width  images of other sizes are resized (orr_resize, linear)
  !> @return   as orr_loader_new; also ORR_EIO (a folder cannot be read), ORR_EINVAL (there are no images). A file that cannot be read
  !>           is an error of the orr_loader_next whose batch needs it; the next call continues after that batch.
  function orr_loader_of_folder(path, channels, height, width, options, stat, errmsg) result(r_)
    character(*), intent(in) :: path
    class(*), intent(in) :: channels
    class(*), intent(in) :: height
    class(*), intent(in) :: width
    type(orr_loader_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_loader) :: r_
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_loader_of_folder(f_file(), place_line, p_path, f_int(channels), f_int(height), f_int(width), p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Returns the number of subfolders; 0 for a loader of arrays, and for NULL.
  function orr_loader_classes(l) result(r_)
    type(orr_loader), intent(in) :: l
    integer(c_int) :: r_
    r_ = c_loader_classes(l%p)
  end function

  !> Returns the name of subfolder k, borrowed; NULL where there is none.
  function orr_loader_class(l, k) result(r_)
    type(orr_loader), intent(in) :: l
    class(*), intent(in) :: k
    character(:), allocatable :: r_
    r_ = f_string(c_loader_class(l%p, int(f_int(k), c_int)))
  end function

  !> Returns the number of tensors of a batch; 0 for NULL.
  function orr_loader_arrays(l) result(r_)
    type(orr_loader), intent(in) :: l
    integer(c_int) :: r_
    r_ = c_loader_arrays(l%p)
  end function

  !> Sets batch[0 … n−1] to the next examples of each array, owned by the current scope.
  !> @param batch  [orr_loader_arrays(l)] tensors
  !> @return   their number; 0 at the end of an epoch, after which the next one begins; −1 on ORR_ENOMEM, ORR_EINVAL (NULL), and
  !>           for a folder on the errors of orr_load_image.
  function orr_loader_next(l, batch, stat, errmsg) result(r_)
    type(orr_loader), intent(in) :: l
    type(orr_tensor), intent(inout) :: batch(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: r_
    type(c_ptr), target :: p_batch(max(1, ubound(batch, 1)))
    if (ubound(batch, 1) < c_loader_arrays(l%p)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_loader_next: the array batch is too short')
      r_ = 0
      return
    end if
    p_batch = c_null_ptr
    r_ = c_loader_next(f_file(), place_line, l%p, c_loc(p_batch))
    call f_results(batch, p_batch)
  end function

  !> Returns the number of batches of an epoch; 0 for NULL.
  function orr_loader_batches(l) result(r_)
    type(orr_loader), intent(in) :: l
    integer(c_int64_t) :: r_
    r_ = c_loader_batches(l%p)
  end function

  !> Stops the thread and frees the loader; batches that the program holds stay. NULL is fine.
  subroutine orr_loader_free(l)
    type(orr_loader), intent(in) :: l
    call c_loader_free(l%p)
  end subroutine

  !> Plans the evaluation of t[0 … n) and this thread's pending assignments as orr_eval does, and runs nothing. The plan is kept for the
  !> evaluation. Values that exist already need nothing.
  !> errors:   those of orr_eval, except for memory and values; ORR_EINVAL (NULL, n < 1). Safe from any thread.
  subroutine orr_plan_memory(t, out, stat, errmsg)
    type(orr_tensor), intent(in) :: t(:)
    type(orr_memory_plan), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: p_t(max(1, ubound(t, 1)))
    integer(c_int) :: status_
    call f_all(t, p_t)
    status_ = c_plan_memory(f_file(), place_line, c_loc(p_t), int(ubound(t, 1), c_int), c_loc(out))
    call f_drop_all(t)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Finds the largest batch in [1, most] that fits into `bytes` of memory, and the fastest. It plans batches by doubling and bisection,
  !> and runs those whose predicted time per sample is at most twice the least, in three rounds or more after a warm-up; of batches with a
  !> predicted time of half a second or more only the first. Among batches within 2 % of the least time per sample the smallest wins.
  !> @param fn     called with batch sizes, each in a scope of its own
  !> @param bytes  limit of orr_memory_plan.most; 0: the rest of ORRERY_MEMORY_LIMIT, or half of the machine's memory
  !> errors:   ORR_EINVAL (NULL, most < 1), ORR_ENOMEM (a batch of 1 does not fit: the message has the bytes), those of fn and orr_eval.
  subroutine orr_optimal_batch(fn, user, most, bytes, out, stat, errmsg)
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    class(*), intent(in) :: most
    class(*), intent(in) :: bytes
    type(orr_batch_choice), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    status_ = c_optimal_batch(f_file(), place_line, fn, p_user, f_int(most), f_int(bytes), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Assigns n parts to m devices within the devices' memory, by branch and bound. A transfer between devices a and b takes the larger
  !> latency plus the bytes at the rate of the slower link. Bounds come from paths without memory limits, and from Lagrangian prices of
  !> memory (M. L. Fisher, "The Lagrangian relaxation method for solving integer programming problems", 1981).
  !> @param contiguous  each device gets one run of neighbouring parts
  !> @param device  [m] devices
  !> @param device_of  [n] numbers: receives the device of each part
  !> errors:   ORR_EINVAL (NULL, n or m out of 1 … 1024 and 1 … 64, a number that makes no sense), ORR_ENOMEM (no placement exists:
  !>           the message names the violated limit). After 20 million nodes the best placement so far is returned; `bound` then
  !>           limits its distance from the optimum.
  subroutine orr_place(shard, device, contiguous, goal, device_of, out, stat, errmsg)
    type(orr_shard_), intent(in), target, contiguous :: shard(:)
    type(orr_place_device), intent(in), target, contiguous :: device(:)
    logical, intent(in), optional :: contiguous
    integer, intent(in), optional :: goal
    integer(c_int), intent(inout), target, contiguous :: device_of(:)
    type(orr_placement), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_place(f_file(), place_line, c_loc(shard), int(f_length(ubound(shard, 1), ubound(device_of, 1)), c_int), &
        c_loc(device), int(ubound(device, 1), c_int), f_bool(contiguous), f_enum(goal), c_loc(device_of), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Prepares a module and its optimiser for batches that are distributed over the ranks (orr_loader_options.grid, or orr_shard).
  !> All ranks get the parameters and states of the module of rank 0; the state of the optimiser is distributed as `options` say. Then
  !> the program trains as one process does: the graph is that of the global batch, so a mean over axis 0 is that of the global batch,
  !> and batch normalisation takes its statistics from it. Gradients are sums over the ranks, reduced in buckets. orr_optim_accumulate
  !> and orr_optim_step_accumulated work as in one process. So do checkpoints: rank 0 writes them, and a run with any number of ranks
  !> may continue from them. ORRERY_DETERMINISTIC=1 gives the same bits in every run with the same number of ranks.
  !> Collective: all ranks call it, after creating both and before loading a checkpoint. On one rank nothing happens.
  !> @param options  NULL: all zero
  !> errors:   ORR_EINVAL (NULL), ORR_ERANK (the ranks have different options, or a rank has failed), ORR_ENOMEM, and those of orr_eval.
  subroutine orr_data_parallel(m, o, options, stat, errmsg)
    type(orr_module), intent(in) :: m
    type(orr_optim), intent(in) :: o
    type(orr_data_parallel_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    status_ = c_data_parallel(f_file(), place_line, m%p, o%p, p_options)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Rényi divergence of order alpha of one use of m, as an upper bound over both neighbours.
  !> Gaussian, q = 1: α/(2σ²); q < 1: log E[((1−q) + q·e^((2z−1)/(2σ²)))^α]/(α−1), z ~ N(0, σ²): a sum for integer α, an integral of positive
  !> terms for others. Laplace, q = 1: Mironov 2017, table II. Pure, and Laplace at q < 1 by amplification: the divergence of randomised
  !> response, which is an upper bound.
  !> @param alpha  > 1, finite        Errors: ORR_EINVAL.      Thread-safe; so are all functions up to budgets.
  subroutine orr_dp_rdp(m, alpha, rdp, stat, errmsg)
    type(orr_dp_mechanism), intent(in), optional :: m
    class(*), intent(in) :: alpha
    real(c_double), intent(inout), target :: rdp
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_mechanism) :: s_m
    integer(c_int) :: status_
    if (present(m)) s_m = m
    status_ = c_dp_rdp(f_file(), place_line, s_m, f_real(alpha), c_loc(rdp))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The orders that ORR_DP_RDP uses, those of Opacus: 1.1, 1.2, … 10.9, 12, 13, … 63. Writes up to `max`; returns 151.
  function orr_dp_orders(out) result(r_)
    real(c_double), intent(inout), target, contiguous :: out(:)
    integer(c_int) :: r_
    r_ = c_dp_orders(c_loc(out), int(ubound(out, 1), c_int))
  end function

  !> ε at δ of a mechanism whose divergence of order orders[i] is rdp[i]: the least over i of
  !> rdp − (log δ + log α)/(α−1) + log((α−1)/α), and at least 0 (Balle et al. 2020, theorem 21; Canonne, Kamath, Steinke 2020).
  !> @param order  receives the order of the least, or NULL      Errors: ORR_EINVAL (an order ≤ 1, δ not in (0, 1), n < 1,
  !>               NULL, NaN).
  subroutine orr_dp_rdp_epsilon(orders, rdp, delta, epsilon, order, stat, errmsg)
    real(c_double), intent(in), target, contiguous :: orders(:)
    real(c_double), intent(in), target, contiguous :: rdp(:)
    class(*), intent(in) :: delta
    real(c_double), intent(inout), target :: epsilon
    real(c_double), intent(inout), target, optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_order
    integer(c_int) :: status_
    p_order = c_null_ptr
    if (present(order)) p_order = c_loc(order)
    status_ = c_dp_rdp_epsilon(f_file(), place_line, c_loc(orders), c_loc(rdp), int(f_length(ubound(orders, 1), ubound(rdp, &
        1)), c_int), f_real(delta), c_loc(epsilon), p_order)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> ε at δ of `times` successive uses of m, each of which may depend on earlier results.
  !> @param times  ≥ 0      Errors: ORR_EINVAL, ORR_ENOMEM (ORR_DP_PLD).
  subroutine orr_dp_epsilon(how, m, times, delta, epsilon, stat, errmsg)
    integer, intent(in), optional :: how
    type(orr_dp_mechanism), intent(in), optional :: m
    class(*), intent(in) :: times
    class(*), intent(in) :: delta
    real(c_double), intent(inout), target :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_mechanism) :: s_m
    integer(c_int) :: status_
    if (present(m)) s_m = m
    status_ = c_dp_epsilon(f_file(), place_line, f_enum(how), s_m, f_int(times), f_real(delta), c_loc(epsilon))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> δ at ε ≥ 0 of `times` uses of m, by ORR_DP_PLD. Otherwise as orr_dp_epsilon.
  subroutine orr_dp_delta(m, times, epsilon, delta, stat, errmsg)
    type(orr_dp_mechanism), intent(in), optional :: m
    class(*), intent(in) :: times
    class(*), intent(in) :: epsilon
    real(c_double), intent(inout), target :: delta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_mechanism) :: s_m
    integer(c_int) :: status_
    if (present(m)) s_m = m
    status_ = c_dp_delta(f_file(), place_line, s_m, f_int(times), f_real(epsilon), c_loc(delta))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The least noise with which `times` uses of (kind, noise, q) stay within ε at δ, up to 1e-4 of it and never below.
  !> ORR_DP_PURE: the largest ε of one use instead.
  !> Errors: ORR_EINVAL (also if no noise up to 1e6 is enough, or 1e-2 is more than enough), ORR_ENOMEM.
  subroutine orr_dp_find_noise(how, kind, q, times, epsilon, delta, noise, stat, errmsg)
    integer, intent(in), optional :: how
    integer, intent(in), optional :: kind
    class(*), intent(in) :: q
    class(*), intent(in) :: times
    class(*), intent(in) :: epsilon
    class(*), intent(in) :: delta
    real(c_double), intent(inout), target :: noise
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_find_noise(f_file(), place_line, f_enum(how), f_enum(kind), f_real(q), f_int(times), f_real(epsilon), &
        f_real(delta), c_loc(noise))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> δ of one Gaussian mechanism at ε, exactly: Φ(1/(2σ) − εσ) − e^ε·Φ(−1/(2σ) − εσ) (Balle, Wang 2018). k uses with σ are
  !> equivalent to one with σ/√k. Errors: ORR_EINVAL.
  subroutine orr_dp_gaussian_delta(sigma, epsilon, delta, stat, errmsg)
    class(*), intent(in) :: sigma
    class(*), intent(in) :: epsilon
    real(c_double), intent(inout), target :: delta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_gaussian_delta(f_file(), place_line, f_real(sigma), f_real(epsilon), c_loc(delta))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The ε at which orr_dp_gaussian_delta is δ; 0 if the value at ε = 0 is below δ already.
  subroutine orr_dp_gaussian_epsilon(sigma, delta, epsilon, stat, errmsg)
    class(*), intent(in) :: sigma
    class(*), intent(in) :: delta
    real(c_double), intent(inout), target :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_gaussian_epsilon(f_file(), place_line, f_real(sigma), f_real(delta), c_loc(epsilon))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The σ at which orr_dp_gaussian_delta(σ, ε) is δ: less than the classical √(2·log(1.25/δ))/ε, and valid for every ε > 0.
  subroutine orr_dp_gaussian_sigma(epsilon, delta, sigma, stat, errmsg)
    class(*), intent(in) :: epsilon
    class(*), intent(in) :: delta
    real(c_double), intent(inout), target :: sigma
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_gaussian_sigma(f_file(), place_line, f_real(epsilon), f_real(delta), c_loc(sigma))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A new budget.
  !> @param epsilon  > 0     @param delta  in (0, 1), for ORR_DP_PLD ≥ 1e-10
  !> @return   to free with orr_dp_budget_free; NULL on ORR_EINVAL, ORR_ENOMEM.
  function orr_dp_budget_new(how, epsilon, delta, stat, errmsg) result(r_)
    integer, intent(in), optional :: how
    class(*), intent(in) :: epsilon
    class(*), intent(in) :: delta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_budget) :: r_
    integer(c_int) :: status_
    r_%p = c_dp_budget_new(f_file(), place_line, f_enum(how), f_real(epsilon), f_real(delta))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Books `times` ≥ 0 uses of m, all or none. Call it before the mechanism runs. A budget that is kept in a file is booked on disk when this
  !> returns, together with the uses that other processes have booked meanwhile.
  !> Errors: ORR_ESTATE: the budget would be exceeded (the message has the numbers), belongs to the process that forked this one, or has a
  !> ledger that was removed, exchanged, set back or not yet given; then nothing is booked. ORR_EINVAL, ORR_ENOMEM, ORR_EIO,
  !> ORR_EFORMAT.
  subroutine orr_dp_budget_spend(b, m, times, stat, errmsg)
    type(orr_dp_budget), intent(in) :: b
    type(orr_dp_mechanism), intent(in), optional :: m
    class(*), intent(in) :: times
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_mechanism) :: s_m
    integer(c_int) :: status_
    if (present(m)) s_m = m
    status_ = c_dp_budget_spend(f_file(), place_line, b%p, s_m, f_int(times))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> ε at the budget's δ of all booked uses, those of other processes in its file too; 0 if there are none. Errors: as
  !> orr_dp_budget_spend.
  subroutine orr_dp_budget_spent(b, epsilon, stat, errmsg)
    type(orr_dp_budget), intent(in) :: b
    real(c_double), intent(inout), target :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_budget_spent(f_file(), place_line, b%p, c_loc(epsilon))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The number of further uses of m that would be booked; at most 2⁴⁰. Errors: as orr_dp_budget_spend.
  subroutine orr_dp_budget_left(b, m, times, stat, errmsg)
    type(orr_dp_budget), intent(in) :: b
    type(orr_dp_mechanism), intent(in), optional :: m
    integer(c_int64_t), intent(inout), target :: times
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_mechanism) :: s_m
    integer(c_int) :: status_
    if (present(m)) s_m = m
    status_ = c_dp_budget_left(f_file(), place_line, b%p, s_m, c_loc(times))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> From now on the uses of b are in the file `path` as well, its ledger, which does not go back. If there is no such file, it is made with
  !> the uses so far. Otherwise it is continued: its limit must be that of b, and its uses those of b. A run that begins anew, or
  !> from an older checkpoint, has fewer uses than its ledger and is refused, with both ε; so is a ledger that has fewer uses than
  !> the run, or is a copy of another file. Load a checkpoint first. Several processes may keep one budget in one file: the file is locked
  !> while it is read and replaced, and all their uses count. After a kill at any moment the file has each use that was booked. Its
  !> checksum finds damage; it is no protection from a person who may write the file.
  !> @param path  its folder exists, on a file system with locks (flock) and hard links
  !> Errors: ORR_ESTATE (see above, or b is kept already), ORR_EINVAL (no path; the ledger has another limit), ORR_EFORMAT (no
  !> ledger, or a damaged one), ORR_EIO, ORR_ENOMEM.
  subroutine orr_dp_budget_keep(b, path, stat, errmsg)
    type(orr_dp_budget), intent(in) :: b
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_path
    type(c_ptr) :: p_path
    integer(c_int) :: status_
    p_path = c_null_ptr
    t_path = trim(path) // c_null_char
    p_path = c_loc(t_path)
    status_ = c_dp_budget_keep(f_file(), place_line, b%p, p_path)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Allows these differences (a sum of orr_dp_allow) to later calls of orr_dp_budget_keep, orr_dp_budget_spend and orr_checkpoint_load; 0:
  !> none, as in a new budget. Errors: ORR_EINVAL.
  subroutine orr_dp_budget_allow(b, what, stat, errmsg)
    type(orr_dp_budget), intent(in) :: b
    class(*), intent(in) :: what
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_budget_allow(f_file(), place_line, b%p, int(f_int(what), c_int))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Adds the uses of a budget (borrowed) to a checkpoint. orr_checkpoint_load takes them over; it refuses a checkpoint with fewer
  !> uses than the budget has, and one of a run with another ledger (ORR_ESTATE, with both ε). Without a ledger nothing
  !> finds that a checkpoint is loaded twice, or is an old one.
  !> Errors: as orr_checkpoint_add_variable.
  subroutine orr_checkpoint_add_budget(c, name, b, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(orr_dp_budget), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_budget(f_file(), place_line, c%p, p_name, b%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> NULL is fine. The file of a ledger stays.
  subroutine orr_dp_budget_free(b)
    type(orr_dp_budget), intent(in) :: b
    call c_dp_budget_free(b%p)
  end subroutine

  !> For tests only: from here on the draws of this thread by functions of this header are a function of `seed`; an adversary who
  !> knows it can remove the noise. Without this call they come from the operating system's generator (getrandom).
  subroutine orr_dp_seed(seed)
    class(*), intent(in) :: seed
    call c_dp_seed(f_int(seed))
  end subroutine

  !> This thread's draws come from the operating system's generator again.
  subroutine orr_dp_unseed()
    call c_dp_unseed()
  end subroutine

  !> A Poisson sample: each of the numbers 0 … n−1 is in it independently with probability q (to 2⁻⁶⁴, rounded down). Keep
  !> the sample secret: the accountants' gain from sampling holds only against an adversary who does not know it.
  !> @param index  an array of n numbers; the first *count are written, in ascending order
  !> Errors: ORR_EINVAL (n < 0, q not in [0, 1], NULL), ORR_EIO (the system has no random numbers). Thread-safe.
  subroutine orr_dp_poisson(n, q, index, count, stat, errmsg)
    class(*), intent(in) :: n
    class(*), intent(in) :: q
    type(c_ptr), intent(in) :: index
    integer(c_int64_t), intent(inout), target :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_poisson(f_file(), place_line, f_int(n), f_real(q), index, c_loc(count))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Laplace noise in floats. The privacy is limited by floating point and by Philox: the low bits of a noisy float leak
  !> information about the value (Mironov, "On significance of the least significant bits", 2012), and Philox is no cryptographic
  !> generator. If an adversary sees all digits, use orr_dp_discrete_laplace.
  !> y = x + Laplace(sensitivity/epsilon), with independent noise for each element: (ε, 0)-private for an x of that L1
  !> sensitivity.
  !> @param x  a float dtype     @param sensitivity, epsilon  > 0, finite
  !> @return   like x, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EIO.
  !> effects:  lazy; fuses with its neighbours; its key comes from the operating system. grad: g. Safe from any thread.
  function orr_dp_laplace(x, sensitivity, epsilon, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dp_laplace(f_file(), place_line, f_of(x), f_real(sensitivity), f_real(epsilon)), stat, errmsg)
    call f_drop(x)
  end function

  !> Gaussian noise in floats. The privacy is limited by floating point and by Philox: see orr_dp_laplace. If an adversary
  !> sees all digits, use orr_dp_discrete_gaussian.
  !> y = x + N(0, (sigma·sensitivity)²), for an x of that L2 sensitivity. Its cost is that of ORR_DP_GAUSSIAN with `sigma`.
  !> Otherwise as orr_dp_laplace.
  function orr_dp_gaussian(x, sensitivity, sigma, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: sigma
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dp_gaussian(f_file(), place_line, f_of(x), f_real(sensitivity), f_real(sigma)), stat, errmsg)
    call f_drop(x)
  end function

  !> y = x + Z for integers, P(Z = z) ∝ e^(−|z|·ε/sensitivity), independent for each element: (ε, 0)-private for an x of that
  !> L1 sensitivity. The noise is drawn now, exactly, in integers, from the operating system's generator (Canonne, Kamath,
  !> Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 2), and its memory is wiped after its last use.
  !> The duration of a draw depends on its value.
  !> @param x  i64; the sum wraps     @param sensitivity  ≥ 1     @param epsilon  > 0; sensitivity/epsilon in [2⁻¹⁰, 2³⁰]
  !> @return   i64, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EIO. Safe from any thread.
  function orr_dp_discrete_laplace(x, sensitivity, epsilon, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dp_discrete_laplace(f_file(), place_line, f_of(x), f_int(sensitivity), f_real(epsilon)), stat, errmsg)
    call f_drop(x)
  end function

  !> y = x + Z for integers, P(Z = z) ∝ e^(−z²/(2s²)), s = sigma·sensitivity in [2⁻¹⁰, 2²⁶], for an x of that L2 sensitivity.
  !> Its cost is at most that of ORR_DP_GAUSSIAN with `sigma` and q = 1 (Canonne, Kamath, Steinke 2020, theorem 4 and algorithm 3).
  !> s² is rounded up to 30 bits. Otherwise as orr_dp_discrete_laplace.
  function orr_dp_discrete_gaussian(x, sensitivity, sigma, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: sigma
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dp_discrete_gaussian(f_file(), place_line, f_of(x), f_real(sensitivity), f_real(sigma)), stat, errmsg)
    call f_drop(x)
  end function

  !> Randomised response: each category of x stays with probability e^ε/(e^ε + k − 1), and otherwise becomes one of the other k − 1
  !> with equal probability (Warner 1965). Every single element is (ε, 0)-private, also against the collector. Drawn exactly.
  !> @param x  i64 in 0 … k−1 (others are taken mod k)     @param k  ≥ 2     @param epsilon  in [2⁻²⁰, 64], rounded down to 30 bits
  !> @return   i64, owned by the current scope; errors as orr_dp_discrete_laplace. Expected time per element: min(k, e^ε) draws.
  function orr_dp_randomised_response(x, k, epsilon, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: k
    class(*), intent(in) :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_dp_randomised_response(f_file(), place_line, f_of(x), f_int(k), f_real(epsilon)), stat, errmsg)
    call f_drop(x)
  end function

  !> An unbiased estimate of the number of true answers in one category among `total`, from `seen` such answers of randomised
  !> response.
  function orr_dp_response_estimate(seen, total, k, epsilon) result(r_)
    class(*), intent(in) :: seen
    class(*), intent(in) :: total
    class(*), intent(in) :: k
    class(*), intent(in) :: epsilon
    real(c_double) :: r_
    r_ = c_dp_response_estimate(f_real(seen), f_real(total), f_int(k), f_real(epsilon))
  end function

  !> The exponential mechanism: i with probability ∝ e^(ε·scores[i]/(2·sensitivity)) (McSherry, Talwar 2007): (ε, 0)-private if one
  !> record changes no score by more than `sensitivity`. Scores are rounded to sensitivity·2⁻²⁰ and ε down to 30 bits (and by the
  !> 2⁻²⁰ that rounding adds); then the draw is exact. Evaluates `scores`. Expected time: at most proportional to their number; it
  !> depends on their values, so a measurement of it leaks.
  !> @param scores  (n), n ≥ 1, any number dtype     @param epsilon  in [2⁻²⁰, 2²⁰]
  !> Errors: ORR_EINVAL (a score not finite, or beyond 2³¹ sensitivities), ORR_ESHAPE, ORR_ENOMEM, ORR_EIO, and those of orr_read.
  subroutine orr_dp_exponential(scores, sensitivity, epsilon, index, stat, errmsg)
    type(orr_tensor), intent(in) :: scores
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: epsilon
    integer(c_int64_t), intent(inout), target :: index
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_exponential(f_file(), place_line, f_of(scores), f_real(sensitivity), f_real(epsilon), c_loc(index))
    call f_drop(scores)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> A new sparse vector. All answers together are (ε, 0)-private for any number of queries, if one record changes no query
  !> by more than `sensitivity`; at most `most` answers are "above" (Lyu, Su, Li, "Understanding the sparse vector technique",
  !> 2017, algorithm 1, with their division of ε). Threshold and queries are rounded to sensitivity·2⁻²⁰ and noise is drawn
  !> exactly.
  !> @param monotone  adding a record moves all queries in one direction: less noise
  !> @return   to free with orr_dp_sparse_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EIO.
  function orr_dp_sparse_new(threshold, sensitivity, most, monotone, epsilon, stat, errmsg) result(r_)
    class(*), intent(in) :: threshold
    class(*), intent(in) :: sensitivity
    class(*), intent(in) :: most
    logical, intent(in), optional :: monotone
    class(*), intent(in) :: epsilon
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_sparse) :: r_
    integer(c_int) :: status_
    r_%p = c_dp_sparse_new(f_file(), place_line, f_real(threshold), f_real(sensitivity), f_int(most), f_bool(monotone), &
        f_real(epsilon))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Sets *above to whether the query's value is above the threshold, both with noise. Errors: ORR_ESTATE (`most`
  !> answers were "above" already), ORR_EINVAL (not finite, beyond 2³¹ sensitivities), ORR_EIO.
  subroutine orr_dp_sparse_ask(s, query, above, stat, errmsg)
    type(orr_dp_sparse), intent(in) :: s
    class(*), intent(in) :: query
    logical(c_bool), intent(inout), target :: above
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_dp_sparse_ask(f_file(), place_line, s%p, f_real(query), c_loc(above))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Wipes the noisy threshold and frees s. NULL is fine.
  subroutine orr_dp_sparse_free(s)
    type(orr_dp_sparse), intent(in) :: s
    call c_dp_sparse_free(s%p)
  end subroutine

  !> −log_softmax(output)[target]: output (batch, …, classes), target integers (batch, …); the mean over all axes but the first.
  function orr_dp_cross_entropy(output, target, unused, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: output
    type(orr_tensor), intent(in) :: target
    type(c_ptr), intent(in), optional :: unused
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_unused
    p_unused = c_null_ptr
    if (present(unused)) p_unused = unused
    call f_made(r_, c_dp_cross_entropy(f_of(output), f_of(target), p_unused), stat, errmsg)
    call f_drop(output)
    call f_drop(target)
  end function

  !> The mean of (output − target)² over all axes but the first.
  function orr_dp_squared_error(output, target, unused, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: output
    type(orr_tensor), intent(in) :: target
    type(c_ptr), intent(in), optional :: unused
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(c_ptr) :: p_unused
    p_unused = c_null_ptr
    if (present(unused)) p_unused = unused
    call f_made(r_, c_dp_squared_error(f_of(output), f_of(target), p_unused), stat, errmsg)
    call f_drop(output)
    call f_drop(target)
  end function

  !> Clipped sums of per-example gradients. Sound only if an example's loss depends on no other example: with normalisation over
  !> the batch nothing is bounded. sums[i] = Σ_k weight[k] · g_ki · min(1, C/‖g_k‖), where g_ki is the gradient of example k's
  !> loss by parameter i; no noise is added. No example's gradient is stored: ‖g_k‖ follows from each layer's input and the
  !> cotangent of its output (Bu, Mao, Xu 2022), and the sum is the product or convolution of a plain step. Examples whose
  !> gradient is not finite count as 0.
  !> @param m        dense layers, convolutions, modules without parameters, and compositions in which each layer is applied once;
  !>                 batch normalisation is refused
  !> @param x        (batch, …)     @param target  (batch, …), or NULL     @param weight  (batch), or NULL: ones
  !> @param clip     C > 0          @param sums  [orr_module_parameters(m, NULL, 0)] one for each parameter of m, in their order
  !> @param norms    ‖g_k‖, (batch); NULL: not needed
  !> Results are owned by the current scope. Errors: ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and those of orr_grad; then all are NULL.
  !> effects:  lazy. Safe from any thread.
  subroutine orr_dp_clipped_grads(m, loss, user, x, target, weight, clipping, clip, sums, norms, stat, errmsg)
    type(orr_module), intent(in) :: m
    type(c_funptr), intent(in) :: loss
    type(c_ptr), intent(in), optional :: user
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in), optional :: target
    type(orr_tensor), intent(in), optional :: weight
    integer, intent(in), optional :: clipping
    class(*), intent(in) :: clip
    type(orr_tensor), intent(inout) :: sums(:)
    type(orr_tensor), intent(inout), optional :: norms
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    type(c_ptr), target :: p_sums(max(1, ubound(sums, 1)))
    type(c_ptr), target :: p_norms
    type(c_ptr) :: q_norms
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    if (ubound(sums, 1) < c_module_parameters(m%p, c_null_ptr, 0_c_int)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_dp_clipped_grads: the array sums is too short')
      return
    end if
    p_sums = c_null_ptr
    p_norms = c_null_ptr
    q_norms = c_null_ptr
    if (present(norms)) q_norms = c_loc(p_norms)
    status_ = c_dp_clipped_grads(f_file(), place_line, m%p, loss, p_user, f_of(x), f_of(target), f_of(weight), &
        f_enum(clipping), f_real(clip), c_loc(p_sums), q_norms)
    call f_drop(x)
    call f_drop(target)
    call f_drop(weight)
    call f_results(sums, p_sums)
    if (present(norms)) then
      call f_result(norms, p_norms)
    end if
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> orr_dp_clipped_grads for any `fn`: the gradients of all examples are computed together, in memory for batch ×
  !> parameters. Sound only if an example's loss depends on no other example.
  subroutine orr_dp_clipped_grads_of_function(fn, user, params, x, target, weight, clipping, clip, sums, norms, stat, &
      errmsg)
    type(c_funptr), intent(in) :: fn
    type(c_ptr), intent(in), optional :: user
    type(orr_tensor), intent(in) :: params(:)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: target
    type(orr_tensor), intent(in) :: weight
    integer, intent(in), optional :: clipping
    class(*), intent(in) :: clip
    type(orr_tensor), intent(inout) :: sums
    type(orr_tensor), intent(inout) :: norms
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_user
    type(c_ptr), target :: p_params(max(1, ubound(params, 1)))
    type(c_ptr), target :: p_sums
    type(c_ptr), target :: p_norms
    integer(c_int) :: status_
    p_user = c_null_ptr
    if (present(user)) p_user = user
    call f_all(params, p_params)
    p_sums = c_null_ptr
    p_norms = c_null_ptr
    status_ = c_dp_clipped_grads_of_function(f_file(), place_line, fn, p_user, c_loc(p_params), int(ubound(params, 1), &
        c_int), f_of(x), f_of(target), f_of(weight), f_enum(clipping), f_real(clip), c_loc(p_sums), c_loc(p_norms))
    call f_drop_all(params)
    call f_drop(x)
    call f_drop(target)
    call f_drop(weight)
    call f_result(sums, p_sums)
    call f_result(norms, p_norms)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns the defaults above.
  function orr_dp_defaults() result(r_)
    type(orr_dp_options) :: r_
    call c_dp_defaults(r_)
  end function

  !> A new trainer.
  !> @param m, o   the network and an optimizer of any kind with exactly its parameters (orr_optim_of_module); both must outlive the result
  !> @return   to free with orr_dp_sgd_free; NULL on ORR_EINVAL, ORR_ENOMEM.
  function orr_dp_sgd_new(m, o, options, stat, errmsg) result(r_)
    type(orr_module), intent(in) :: m
    type(orr_optim), intent(in) :: o
    type(orr_dp_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_sgd) :: r_
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_dp_sgd_new(f_file(), place_line, m%p, o%p, p_options)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Like orr_dp_sgd_new for a function of parameters: the n variables that `o` has, in its order. options->loss is not used.
  function orr_dp_sgd_of_function(fn, params, o, options, stat, errmsg) result(r_)
    type(c_funptr), intent(in) :: fn
    type(orr_tensor), intent(in) :: params(:)
    type(orr_optim), intent(in) :: o
    type(orr_dp_options), intent(in), optional, target :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_dp_sgd) :: r_
    type(c_ptr), target :: p_params(max(1, ubound(params, 1)))
    type(c_ptr) :: p_options
    integer(c_int) :: status_
    call f_all(params, p_params)
    p_options = c_null_ptr
    if (present(options)) p_options = c_loc(options)
    r_%p = c_dp_sgd_of_function(f_file(), place_line, fn, c_loc(p_params), int(ubound(params, 1), c_int), o%p, p_options)
    call f_drop_all(params)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> One step of DP-SGD. Private only if an example's loss depends on no other example, and only for the parameters: ε does not cover `loss`.
  !> The noise is that of orr_dp_gaussian, with its limits, unless options.secure is set. A step (Abadi et al., "Deep learning with
  !> differential privacy", 2016): a Poisson sample of the records, the sum of their clipped gradients, N(0, (σC)²) added to each element,
  !> divided by q·n; then the optimizer's step with the result. It costs ORR_DP_GAUSSIAN of σ and q, booked before the computation; this
  !> includes ADAPTIVE clipping.
  !> @param x, target   all records: (n, …), from which rows are drawn; target may be NULL
  !> @param loss        the sample's mean loss before the step, NaN for an empty sample; or NULL
  !> Errors: ORR_ESTATE (the budget; then nothing changes), ORR_ESHAPE, ORR_EIO, and those of orr_dp_clipped_grads and orr_eval.
  subroutine orr_dp_sgd_step(t, x, target, loss, stat, errmsg)
    type(orr_dp_sgd), intent(in) :: t
    type(orr_tensor), intent(in), optional :: x
    type(orr_tensor), intent(in), optional :: target
    real(c_double), intent(inout), target, optional :: loss
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: p_loss
    integer(c_int) :: status_
    p_loss = c_null_ptr
    if (present(loss)) p_loss = c_loc(loss)
    status_ = c_dp_sgd_step(f_file(), place_line, t%p, f_of(x), f_of(target), p_loss)
    call f_drop(x)
    call f_drop(target)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> As the function before it in orrery/privacy.h.
  function orr_dp_sgd_clip(t) result(r_)
    type(orr_dp_sgd), intent(in) :: t
    real(c_double) :: r_
    r_ = c_dp_sgd_clip(t%p)
  end function

  !> As the function before it in orrery/privacy.h.
  function orr_dp_sgd_steps(t) result(r_)
    type(orr_dp_sgd), intent(in) :: t
    integer(c_int64_t) :: r_
    r_ = c_dp_sgd_steps(t%p)
  end function

  !> Adds a trainer (borrowed) to a checkpoint: its clipping norm, its steps and, as orr_checkpoint_add_budget, its budget. The model and the
  !> optimiser are parts of their own. Errors: as orr_checkpoint_add_variable.
  subroutine orr_checkpoint_add_dp_sgd(c, name, t, stat, errmsg)
    type(orr_checkpoint), intent(in) :: c
    character(*), intent(in) :: name
    type(orr_dp_sgd), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: t_name
    type(c_ptr) :: p_name
    integer(c_int) :: status_
    p_name = c_null_ptr
    t_name = trim(name) // c_null_char
    p_name = c_loc(t_name)
    status_ = c_checkpoint_add_dp_sgd(f_file(), place_line, c%p, p_name, t%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Frees the trainer, not the model or the optimizer. NULL is fine.
  subroutine orr_dp_sgd_free(t)
    type(orr_dp_sgd), intent(in) :: t
    call c_dp_sgd_free(t%p)
  end subroutine

  !> Wipes the bytes, frees them, and leaves *b empty. NULL and empty structs are fine. The behaviour is undefined for
  !> bytes that the library did not make. Thread-safe for different b.
  subroutine orr_bytes_free(b)
    type(orr_bytes), intent(inout), target :: b
    call c_bytes_free(c_loc(b))
  end subroutine

  !> The largest magnitude that orr_fixed_encode takes, ⌊(⌈M/2⌉ − 1) / addends⌋ / 2^fraction; −1 for an invalid format.
  function orr_fixed_limit(format) result(r_)
    type(orr_fixed), intent(in), optional :: format
    real(c_double) :: r_
    type(orr_fixed) :: s_format
    if (present(format)) s_format = format
    r_ = c_fixed_limit(s_format)
  end function

  !> Integers modulo M for x.
  !> @param x  f16 bf16 f32 f64, or an integer dtype (then it is multiplied by 2^fraction exactly), any shape
  !> @return   u32 or u64 of x's shape, owned by the current scope; poison on ORR_EINVAL (invalid format), ORR_EDTYPE (bool),
  !>           ORR_EINDEX (an element is NaN, infinite or above orr_fixed_limit: the message has its place and the limit).
  !> effects:  evaluates x. Safe from any thread.
  function orr_fixed_encode(x, format, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_fixed), intent(in), optional :: format
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(orr_fixed) :: s_format
    if (present(format)) s_format = format
    call f_made(r_, c_fixed_encode(f_file(), place_line, f_of(x), s_format), stat, errmsg)
    call f_drop(x)
  end function

  !> v / 2^fraction, rounded to f64 and from there to `dtype`, where v is the element as a signed integer, −M/2 ≤ v < M/2.
  !> @param t      u32 for ORR_MOD_2_32, else u64    @param dtype  a float dtype, or ORR_I64 (v, with its fraction)
  !> @return       of t's shape, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EINDEX (above the modulus).
  !> effects:      evaluates t. Safe from any thread.
  function orr_fixed_decode(t, format, dtype, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: t
    type(orr_fixed), intent(in), optional :: format
    integer, intent(in) :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    type(orr_fixed) :: s_format
    if (present(format)) s_format = format
    call f_made(r_, c_fixed_decode(f_file(), place_line, f_of(t), s_format, int(dtype, c_int)), stat, errmsg)
    call f_drop(t)
  end function

  !> n tensors whose sum modulo M is `secret`; any n − 1 of them are uniform and independent of `secret`. The secret is
  !> hidden only if some party keeps its share to itself; a changed share is not detected.
  !> @param secret  u32 for ORR_MOD_2_32, else u64, any shape    @param n  ≥ 2
  !> @return   (n, …) of secret's dtype, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8
  !>           already), ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
  !> effects:  evaluates `secret`. Safe from any thread.      cost: ChaCha20 of n − 1 times the elements.
  function orr_additive_split(secret, n, modulus, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: secret
    class(*), intent(in) :: n
    integer, intent(in), optional :: modulus
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_additive_split(f_file(), place_line, f_of(secret), int(f_int(n), c_int), f_enum(modulus)), stat, &
        errmsg)
    call f_drop(secret)
  end function

  !> Σ shares[i] modulo M: the secret from all its n shares, or the sum of secrets from the sums of their shares.
  !> @param shares  (n, …), n ≥ 1
  !> @return   (…), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 0, no share), ORR_EINDEX.
  !> effects:  evaluates `shares`. Safe from any thread.      cost: one pass over the shares.
  function orr_additive_join(shares, modulus, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: shares
    integer, intent(in), optional :: modulus
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_additive_join(f_file(), place_line, f_of(shares), f_enum(modulus)), stat, errmsg)
    call f_drop(shares)
  end function

  !> n shares of a secret. Any `threshold` of them determine the secret; fewer are independent of it, so it is hidden while
  !> no more than threshold − 1 shares come together. Share i is f(i + 1) for a polynomial f of degree threshold − 1 with
  !> f(0) = secret and other coefficients uniform. There is one f for each element. Shares of sums are sums of shares (modulo p).
  !> @param secret  u64 below p, any shape    @param threshold  1 … n    @param n  1 … 65535
  !> @return   u64 (n, …), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8 already),
  !>           ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
  !> effects:  evaluates `secret`. Safe from any thread.      cost: n · threshold products an element.
  !> source:   A. Shamir, "How to share a secret", 1979.
  function orr_shamir_split(secret, threshold, n, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: secret
    class(*), intent(in) :: threshold
    class(*), intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_shamir_split(f_file(), place_line, f_of(secret), int(f_int(threshold), c_int), int(f_int(n), c_int)), &
        stat, errmsg)
    call f_drop(secret)
  end function

  !> Wipes and frees a client. NULL is fine. May be called after orr_shutdown.
  subroutine orr_secagg_client_free(c)
    type(orr_secagg_client), intent(in) :: c
    call c_secagg_client_free(c%p)
  end subroutine

  !> Round 0: the client's fresh public keys, for the server. Errors: ORR_EINVAL, ORR_ESTATE (a second time), ORR_ENOMEM.
  subroutine orr_secagg_advertise(c, out, stat, errmsg)
    type(orr_secagg_client), intent(in) :: c
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_advertise(f_file(), place_line, c%p, c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Round 1: reads the list of public keys; *out has shares of this client's secrets, encrypted for each other client.
  !> Errors: ORR_EFORMAT (no such list; fewer than t clients, a client or a key twice, this client's own keys changed, a wrong
  !> signature), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
  subroutine orr_secagg_share_keys(c, in, out, stat, errmsg)
    type(orr_secagg_client), intent(in) :: c
    type(orr_bytes), intent(in), target :: in
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_share_keys(f_file(), place_line, c%p, c_loc(in), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Round 2: reads the others' encrypted shares; *out is x, encoded and masked. The encoded vector is in memory only in blocks of some
  !> kilobytes, which are masked or wiped.
  !> @param x  `length` elements of any shape, a dtype that orr_fixed_encode takes
  !> Errors: ORR_EFORMAT, ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM; ORR_ESHAPE, ORR_EDTYPE, ORR_EINDEX (overflow) for x, after which the call
  !> may be repeated with another x. effects: evaluates x. cost: ChaCha20 of n vectors.
  subroutine orr_secagg_mask(c, in, x, out, stat, errmsg)
    type(orr_secagg_client), intent(in) :: c
    type(orr_bytes), intent(in), target :: in
    type(orr_tensor), intent(in) :: x
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_mask(f_file(), place_line, c%p, c_loc(in), f_of(x), c_loc(out))
    call f_drop(x)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Round 3, with identities: reads the list of clients whose vectors arrived; *out is a signature of it. A client signs one list
  !> only.
  !> Errors: ORR_EFORMAT (fewer than t, or a client that was not in round 1), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
  subroutine orr_secagg_confirm(c, in, out, stat, errmsg)
    type(orr_secagg_client), intent(in) :: c
    type(orr_bytes), intent(in), target :: in
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_confirm(f_file(), place_line, c%p, c_loc(in), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Round 4: reads the list of clients whose vectors arrived (and t signatures of it, with identities). *out has a share of the own mask
  !> of each of these clients, and a share of the key of each client that dropped out since round 1: never both, and this client answers
  !> once. A share for another client, or one that cannot be decrypted, is left out. Errors: ORR_EFORMAT (as in round 3; another list than
  !> the one signed; fewer than t sound signatures), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
  subroutine orr_secagg_unmask(c, in, out, stat, errmsg)
    type(orr_secagg_client), intent(in) :: c
    type(orr_bytes), intent(in), target :: in
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_unmask(f_file(), place_line, c%p, c_loc(in), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The server of a run. NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. Free with orr_secagg_server_free.
  function orr_secagg_server_new(config, stat, errmsg) result(r_)
    type(orr_secagg_config), intent(in), optional, target :: config
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_secagg_server) :: r_
    type(c_ptr) :: p_config
    integer(c_int) :: status_
    p_config = c_null_ptr
    if (present(config)) p_config = c_loc(config)
    r_%p = c_secagg_server_new(f_file(), place_line, p_config)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Wipes and frees a server. NULL is fine. May be called after orr_shutdown.
  subroutine orr_secagg_server_free(s)
    type(orr_secagg_server), intent(in) :: s
    call c_secagg_server_free(s%p)
  end subroutine

  !> Receives n messages of the current round. Masked vectors are added to the sum at once, several in one pass, and not kept.
  !> The first wrong message ends the call: ORR_EFORMAT (no message of this run, wrong length, a client twice or unknown),
  !> ORR_ESTATE (of another round; from a client that has dropped out); *taken (unless NULL) is the number of messages accepted
  !> before it. Other errors: ORR_EINVAL, ORR_ENOMEM. cost: one pass over the vectors.
  subroutine orr_secagg_receive(s, in, taken, stat, errmsg)
    type(orr_secagg_server), intent(in) :: s
    type(orr_bytes), intent(in), target, contiguous :: in(:)
    integer(c_int), intent(inout), target :: taken
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_receive(f_file(), place_line, s%p, c_loc(in), int(ubound(in, 1), c_int), c_loc(taken))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Ends the round: clients that have not answered have dropped out. ORR_ESTATE if fewer than t have answered (more may
  !> follow: the round continues), or if there is no round to end.
  subroutine orr_secagg_close(s, stat, errmsg)
    type(orr_secagg_server), intent(in) :: s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_close(f_file(), place_line, s%p)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The message for client `index`, which must take part in the current round. Errors: ORR_EINVAL (no client of this round), ORR_ESTATE,
  !> ORR_ENOMEM.
  subroutine orr_secagg_send(s, index, out, stat, errmsg)
    type(orr_secagg_server), intent(in) :: s
    class(*), intent(in) :: index
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_secagg_send(f_file(), place_line, s%p, int(f_int(index), c_int), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Returns whether client `index` has answered in all past rounds; false for any other number.
  function orr_secagg_alive(s, index) result(r_)
    type(orr_secagg_server), intent(in) :: s
    class(*), intent(in) :: index
    logical :: r_
    r_ = logical(c_secagg_alive(s%p, int(f_int(index), c_int)))
  end function

  !> Σ x over the clients whose vectors arrived. Their masks are recovered from t answers of round 4 and removed. Wrong shares are
  !> corrected if there are enough answers, and each recovered key or seed is checked against its client's public key or commitment, so
  !> that the sum is right or an error is returned.
  !> @param dtype  a float dtype, or ORR_I64: the sum of the encoded integers
  !> @return   (length), owned by the current scope; poison on ORR_ESTATE (not in round 4, fewer than t answers), ORR_EFORMAT (shares that
  !>           cannot be corrected; the message names the client), ORR_EDTYPE, ORR_EINVAL, ORR_ENOMEM. A second time: ORR_ESTATE.
  !> cost:     ChaCha20 of one vector for each remaining client, and of one for each pair of a remaining client and one that dropped
  !>           out in round 2.
  function orr_secagg_result(s, dtype, stat, errmsg) result(r_)
    type(orr_secagg_server), intent(in) :: s
    integer, intent(in) :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_secagg_result(f_file(), place_line, s%p, int(dtype, c_int)), stat, errmsg)
  end function

  !> A new key pair, n = p · q of two random primes with the same number of bits, from the system's generator; 32 rounds of Miller
  !> and Rabin each.
  !> @param bits  of n: 2048, 3072 or 4096
  !> @return   to free with orr_paillier_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE.
  function orr_paillier_generate(bits, stat, errmsg) result(r_)
    class(*), intent(in) :: bits
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_paillier) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_generate(f_file(), place_line, int(f_int(bits), c_int))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> The public half, an object of its own. NULL on ORR_EINVAL, ORR_ENOMEM.
  function orr_paillier_public(key, stat, errmsg) result(r_)
    type(orr_paillier), intent(in) :: key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_paillier) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_public(f_file(), place_line, key%p)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Waits for orr_paillier_prepare's work, wipes and frees the key. Ciphertexts stay valid. NULL is fine. May be called
  !> after orr_shutdown.
  subroutine orr_paillier_free(key)
    type(orr_paillier), intent(in) :: key
    call c_paillier_free(key%p)
  end subroutine

  !> Bits of n; 0 for NULL.
  function orr_paillier_bits(key) result(r_)
    type(orr_paillier), intent(in) :: key
    integer(c_int) :: r_
    r_ = c_paillier_bits(key%p)
  end function

  !> Returns whether the key can decrypt.
  function orr_paillier_has_private(key) result(r_)
    type(orr_paillier), intent(in) :: key
    logical :: r_
    r_ = logical(c_paillier_has_private(key%p))
  end function

  !> The key's name: the first 16 bytes of SHA-256 of n, big-endian in bits/8 bytes. Errors: ORR_EINVAL (NULL).
  subroutine orr_paillier_id(key, id, stat, errmsg)
    type(orr_paillier), intent(in) :: key
    type(c_ptr), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_paillier_id(f_file(), place_line, key%p, id)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> The key as bytes: version, name, n; with_private: also p and q, unencrypted, so that any reader of the bytes can decrypt.
  !> orr_bytes_free wipes them. Errors: ORR_EINVAL (NULL, no private half), ORR_ENOMEM.
  subroutine orr_paillier_save(key, with_private, out, stat, errmsg)
    type(orr_paillier), intent(in) :: key
    logical, intent(in), optional :: with_private
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_paillier_save(f_file(), place_line, key%p, f_bool(with_private), c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads a key from the bytes of orr_paillier_save. NULL on ORR_EFORMAT (truncated, of another version, changed: the name
  !> does not fit n; p or q is no prime), ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE.
  function orr_paillier_load(in, stat, errmsg) result(r_)
    type(orr_bytes), intent(in), target :: in
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_paillier) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_load(f_file(), place_line, c_loc(in))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Computes `count` noises ahead, as background tasks, and returns at once. Encryption and re-randomisation with this
  !> key use each of them once, and compute missing ones themselves. 0 ≤ count ≤ 2^20; further calls add.
  !> Errors: ORR_EINVAL, ORR_ESTATE (the work of the last call has not ended), ORR_ENOMEM.
  subroutine orr_paillier_prepare(key, count, stat, errmsg)
    type(orr_paillier), intent(in) :: key
    class(*), intent(in) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_paillier_prepare(f_file(), place_line, key%p, f_int(count))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> x, encrypted. The holder of the private key encrypts faster (by the Chinese remainder theorem, with the same distribution).
  !> @param x  any dtype but bool, any shape
  !> @return   NULL on ORR_EINVAL (the packing; too many slots), ORR_EDTYPE, ORR_EINDEX (an element is above `most`, NaN or infinite: its
  !>           place), ORR_ENOMEM, ORR_EDEVICE.      cost: a power modulo n² a ciphertext.
  function orr_paillier_encrypt(key, x, packing, stat, errmsg) result(r_)
    type(orr_paillier), intent(in) :: key
    type(orr_tensor), intent(in) :: x
    type(orr_packing), intent(in), optional :: packing
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    type(orr_packing) :: s_packing
    integer(c_int) :: status_
    if (present(packing)) s_packing = packing
    r_%p = c_paillier_encrypt(f_file(), place_line, key%p, f_of(x), s_packing)
    call f_drop(x)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> The numbers in e: each integer divided by 2^(sum of the fractions of all its factors).
  !> @param dtype  a float dtype, or ORR_I64 (the integer itself)
  !> @return   of e's shape, owned by the current scope, wiped when its last use ends; poison on ORR_EINVAL (no private key; e belongs to
  !>           another key), ORR_EDTYPE, ORR_EINDEX (ORR_I64 that does not hold an element), ORR_ENOMEM.
  function orr_paillier_decrypt(key, e, dtype, stat, errmsg) result(r_)
    type(orr_paillier), intent(in) :: key
    type(orr_encrypted), intent(in) :: e
    integer, intent(in) :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_paillier_decrypt(f_file(), place_line, key%p, e%p, int(dtype, c_int)), stat, errmsg)
  end function

  !> a + b. The result is not re-randomised: a reader who knows a and b recognises it (orr_paillier_rerandomize).
  !> NULL on ORR_EINVAL (NULL, other keys, other packings or fractions), ORR_ESHAPE (other shapes), ORR_EINDEX (a slot might overflow),
  !> ORR_ENOMEM. This holds for all functions below.      cost: a product modulo n² a ciphertext.
  function orr_paillier_add(a, b, stat, errmsg) result(r_)
    type(orr_encrypted), intent(in) :: a
    type(orr_encrypted), intent(in) :: b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_add(f_file(), place_line, a%p, b%p)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> a + x, for plain x of a's shape, at a's fraction. Not re-randomised, as orr_paillier_add.
  function orr_paillier_add_plain(a, x, stat, errmsg) result(r_)
    type(orr_encrypted), intent(in) :: a
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_add_plain(f_file(), place_line, a%p, f_of(x))
    call f_drop(x)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> a · w, for plain w that is treated as public: the time depends on w. Not re-randomised, as orr_paillier_add.
  !> @param w         one element, or a's shape with the last axis 1, or a's shape if a has one slot
  !> @param fraction  fraction bits of w, which is rounded to them; they add to those of the result
  function orr_paillier_mul_plain(a, w, fraction, stat, errmsg) result(r_)
    type(orr_encrypted), intent(in) :: a
    type(orr_tensor), intent(in) :: w
    class(*), intent(in) :: fraction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_mul_plain(f_file(), place_line, a%p, f_of(w), int(f_int(fraction), c_int))
    call f_drop(w)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Σ a over one axis, which is removed. If several slots share a ciphertext, the last axis is refused (ORR_EAXIS).
  function orr_paillier_sum(a, axis, stat, errmsg) result(r_)
    type(orr_encrypted), intent(in) :: a
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_sum(f_file(), place_line, a%p, int(f_int(axis), c_int))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Σ a · w over one axis, for plain weights w that are treated as public. w has one axis, of that length; otherwise as
  !> orr_paillier_sum and orr_paillier_mul_plain.
  function orr_paillier_dot(a, w, axis, fraction, stat, errmsg) result(r_)
    type(orr_encrypted), intent(in) :: a
    type(orr_tensor), intent(in) :: w
    class(*), intent(in) :: axis
    class(*), intent(in) :: fraction
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_dot(f_file(), place_line, a%p, f_of(w), int(f_int(axis), c_int), int(f_int(fraction), c_int))
    call f_drop(w)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> The same numbers in fresh ciphertexts, which a reader without the private key cannot link to a's.
  !> @param key  the key of a, public or private (faster)
  function orr_paillier_rerandomize(key, a, stat, errmsg) result(r_)
    type(orr_paillier), intent(in) :: key
    type(orr_encrypted), intent(in) :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_paillier_rerandomize(f_file(), place_line, key%p, a%p)
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Frees e. NULL is fine.
  subroutine orr_encrypted_free(e)
    type(orr_encrypted), intent(in) :: e
    call c_encrypted_free(e%p)
  end subroutine

  !> Returns the shape; rank −1 for NULL.
  function orr_encrypted_shape(e) result(r_)
    type(orr_encrypted), intent(in) :: e
    integer(c_int64_t), allocatable :: r_(:)
    type(orr_shape) :: s_r
    call c_encrypted_shape(s_r, e%p)
    r_ = s_r%dim(1:max(0, s_r%rank))
  end function

  !> Returns the numbers per ciphertext; 0 for NULL.
  function orr_encrypted_slots(e) result(r_)
    type(orr_encrypted), intent(in) :: e
    integer(c_int) :: r_
    r_ = c_encrypted_slots(e%p)
  end function

  !> e as bytes: version, the key's name, shape, packing, bound, ciphertexts. Errors: ORR_EINVAL, ORR_ENOMEM.
  subroutine orr_encrypted_save(e, out, stat, errmsg)
    type(orr_encrypted), intent(in) :: e
    type(orr_bytes), intent(inout), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_encrypted_save(f_file(), place_line, e%p, c_loc(out))
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Reads the bytes of orr_encrypted_save. They are not authenticated: a change of the bytes changes the numbers. NULL on
  !> ORR_EFORMAT (truncated, of another version, of another key, a number that is no ciphertext), ORR_EINVAL, ORR_ENOMEM.
  function orr_encrypted_load(key, in, stat, errmsg) result(r_)
    type(orr_paillier), intent(in) :: key
    type(orr_bytes), intent(in), target :: in
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_encrypted) :: r_
    integer(c_int) :: status_
    r_%p = c_encrypted_load(f_file(), place_line, key%p, c_loc(in))
    status_ = ORR_OK
    if (.not. c_associated(r_%p)) status_ = c_error_status()
    call f_settle(status_, stat, errmsg)
  end function

  !> Elements from text: decimal digits, or 0x and hexadecimal digits.
  !> @param field  ORR_FR254 or ORR_FQ254
  !> @return   (n); poison on ORR_EDTYPE (no field), ORR_EINVAL (NULL), ORR_EFORMAT (no number), ORR_EINDEX (not below the modulus): the
  !>           message names the index.
  function orr_field_parse(field, text, stat, errmsg) result(r_)
    integer, intent(in) :: field
    character(*), intent(in) :: text(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    character(kind=c_char), allocatable, target :: t_text(:, :)
    type(c_ptr), allocatable, target :: p_text(:)
    integer :: n_text
    n_text = 0
    n_text = ubound(text, 1)
    allocate (p_text(max(1, n_text)))
    if (n_text > 0) call f_texts(text, t_text, p_text)
    call f_made(r_, c_field_parse(f_file(), place_line, int(field, c_int), c_loc(p_text), int(ubound(text, 1), c_int64_t)), &
        stat, errmsg)
  end function

  !> Element number `i` of x, in row-major order, as decimal digits. Errors: ORR_EINDEX, and those of evaluation.
  !> effects:  evaluates x, the first time; the texts of its other elements need no evaluation.
  subroutine orr_field_text(x, i, text, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: i
    type(c_ptr), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status_
    status_ = c_field_text(f_file(), place_line, f_of(x), f_int(i), text)
    call f_drop(x)
    call f_settle(status_, stat, errmsg)
  end subroutine

  !> Elements from their limbs, the lowest first.
  !> @param field  ORR_FR254 or ORR_FQ254    @param limbs  u64 (…, 4)    @return  (…); evaluation refuses an integer that is not
  !>           below the modulus (ORR_EINDEX, with its place).      cost: a product per element.
  function orr_field_from_limbs(field, limbs, stat, errmsg) result(r_)
    integer, intent(in) :: field
    type(orr_tensor), intent(in) :: limbs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_from_limbs(f_file(), place_line, int(field, c_int), f_of(limbs)), stat, errmsg)
    call f_drop(limbs)
  end function

  !> The limbs of elements.
  !> @return   u64 (…, 4).      cost: a product an element.
  function orr_field_limbs(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_limbs(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> 1/x.
  !> 1/0 is ORR_ENUMERIC, and the message names the place.      cost: some five products (Montgomery's trick).
  function orr_field_inverse(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_inverse(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> x^e with a plain integer e below 2^256, its lowest limb first; 0^0 is 1.
  function orr_field_pow(x, e, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(c_ptr), intent(in) :: e
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_pow(f_file(), place_line, f_of(x), e), stat, errmsg)
    call f_drop(x)
  end function

  !> Σ x over one axis.
  !> @param x  (…, n, …)    @return  (…, …), the axis gone; poison on ORR_EAXIS too. As orr_sum.
  function orr_field_sum(x, axis, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    class(*), intent(in) :: axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_sum(f_file(), place_line, f_of(x), int(f_int(axis), c_int)), stat, errmsg)
    call f_drop(x)
  end function

  !> Σ x_i·y_i over the last axis.
  !> @param x, y  (…, n), broadcast    @return  (…).
  function orr_field_dot(x, y, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_dot(f_file(), place_line, f_of(x), f_of(y)), stat, errmsg)
    call f_drop(x)
    call f_drop(y)
  end function

  !> X[j] = Σ_i x[i]·(s·w^j)^i over r, with w = 5^((r − 1)/n) and n = 2^k: the values of polynomials on a coset of the n-th roots of
  !> unity.
  !> @param x      fr254 (…, n), n = 2^k, k ≤ 28    @param shift  s, (), not zero (ORR_ENUMERIC); NULL: 1
  !> @return       (…, n); ORR_ESHAPE where n is no power of two.      cost: n·k/2 products a transform.
  function orr_field_ntt(x, shift, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in), optional :: shift
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_ntt(f_file(), place_line, f_of(x), f_of(shift)), stat, errmsg)
    call f_drop(x)
    call f_drop(shift)
  end function

  !> x from X: the inverse of orr_field_ntt with the same shift.
  function orr_field_ntt_inverse(x, shift, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor), intent(in) :: shift
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_ntt_inverse(f_file(), place_line, f_of(x), f_of(shift)), stat, errmsg)
    call f_drop(x)
    call f_drop(shift)
  end function

  !> Σ c_i·x^i at each place.
  !> @param c  (n)    @param x  (…)    @return  of x's shape.      cost: n products a place.
  function orr_field_poly_eval(c, x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: c
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_field_poly_eval(f_file(), place_line, f_of(c), f_of(x)), stat, errmsg)
    call f_drop(c)
    call f_drop(x)
  end function

  !> c = d·quotient + remainder.
  !> @param c  (n)    @param d  (m), 1 ≤ m ≤ n (ORR_ESHAPE), whose last coefficient is not 0 (ORR_ENUMERIC)
  !> cost:     (n − m + 1)·m products on one core.
  subroutine orr_field_poly_divide(c, d, quotient, remainder, stat, errmsg)
    type(orr_tensor), intent(in) :: c
    type(orr_tensor), intent(in) :: d
    type(orr_tensor), intent(inout) :: quotient
    type(orr_tensor), intent(inout) :: remainder
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_field_division) :: s_r
    call c_field_poly_divide(s_r, f_file(), place_line, f_of(c), f_of(d))
    call f_drop(c)
    call f_drop(d)
    call f_result(quotient, s_r%quotient)
    call f_result(remainder, s_r%remainder)
    call f_settle(c_tensor_status(s_r%quotient), stat, errmsg)
  end subroutine

  !> The Poseidon hash of rows of 1 … 16 elements of r, with circom's parameters: x^5, eight full rounds.
  !> @param x  fr254 (…, n)    @return  (…); ORR_ESHAPE for another n.
  !> source:   L. Grassi et al., "Poseidon: a new hash function for zero-knowledge proof systems", 2021.
  function orr_poseidon(x, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_poseidon(f_file(), place_line, f_of(x)), stat, errmsg)
    call f_drop(x)
  end function

  !> The Merkle tree of Poseidon hashes: a node is the hash of its `arity` children.
  !> @param leaves  fr254 (n) with n = arity^depth (ORR_ESHAPE)    @param arity  2 … 16
  !> @return        all nodes, level by level: the leaves first, the root last.
  function orr_merkle_tree(leaves, arity, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: leaves
    class(*), intent(in) :: arity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_merkle_tree(f_file(), place_line, f_of(leaves), int(f_int(arity), c_int)), stat, errmsg)
    call f_drop(leaves)
  end function

  !> The root of a tree of orr_merkle_tree: ().
  function orr_merkle_root(tree, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: tree
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_merkle_root(f_file(), place_line, f_of(tree)), stat, errmsg)
    call f_drop(tree)
  end function

  !> The proof that a leaf is in the tree: on each level the other children of the node above, from the leaves up.
  !> @return   (depth, arity − 1); poison on ORR_EINDEX (no such leaf), ORR_ESHAPE (no tree of that arity).
  function orr_merkle_proof(tree, arity, leaf, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: tree
    class(*), intent(in) :: arity
    class(*), intent(in) :: leaf
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_merkle_proof(f_file(), place_line, f_of(tree), int(f_int(arity), c_int), f_int(leaf)), stat, errmsg)
    call f_drop(tree)
  end function

  !> True if `value` is leaf number `leaf` of the tree with that root.
  !> @param root, value  ()    @param proof  (depth, arity − 1)    @return  bool, rank 0.
  function orr_merkle_verify(root, value, leaf, proof, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: root
    type(orr_tensor), intent(in) :: value
    class(*), intent(in) :: leaf
    type(orr_tensor), intent(in) :: proof
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_merkle_verify(f_file(), place_line, f_of(root), f_of(value), f_int(leaf), f_of(proof)), stat, errmsg)
    call f_drop(root)
    call f_drop(value)
    call f_drop(proof)
  end function

  !> The generator of a group: (2) or (2, 2).
  function orr_curve_generator(curve, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_generator(f_file(), place_line, f_enum(curve)), stat, errmsg)
  end function

  !> p + q, broadcast; −p; 2p.
  function orr_curve_add(curve, p, q, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    type(orr_tensor), intent(in) :: q
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_add(f_file(), place_line, f_enum(curve), f_of(p), f_of(q)), stat, errmsg)
    call f_drop(p)
    call f_drop(q)
  end function

  !> As the function before it in orrery/field.h.
  function orr_curve_neg(curve, p, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_neg(f_file(), place_line, f_enum(curve), f_of(p)), stat, errmsg)
    call f_drop(p)
  end function

  !> As the function before it in orrery/field.h.
  function orr_curve_double(curve, p, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_double(f_file(), place_line, f_enum(curve), f_of(p)), stat, errmsg)
    call f_drop(p)
  end function

  !> k·p.
  !> @param p  (…, 2) or (…, 2, 2)    @param k  fr254 (…); the axes before points broadcast.
  function orr_curve_multiply(curve, p, k, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    type(orr_tensor), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_multiply(f_file(), place_line, f_enum(curve), f_of(p), f_of(k)), stat, errmsg)
    call f_drop(p)
    call f_drop(k)
  end function

  !> True for each point on the curve, infinity included. This is the only function that accepts points off the curve.
  !> @return  bool (…).
  function orr_curve_contains(curve, p, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_contains(f_file(), place_line, f_enum(curve), f_of(p)), stat, errmsg)
    call f_drop(p)
  end function

  !> True for each point in the group of order r, that is, with r·p at infinity. On G1 every point is in it. @return  bool (…).
  !> cost: one multiple.
  function orr_curve_in_group(curve, p, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_in_group(f_file(), place_line, f_enum(curve), f_of(p)), stat, errmsg)
    call f_drop(p)
  end function

  !> x as bytes, little-endian (of G2 the real part first), with the highest bit set where y is the larger of y and −y (of G2: by
  !> the imaginary part, then the real), and the next one for infinity.
  !> @return   u8 (…, 32) or (…, 64).
  function orr_curve_compress(curve, p, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_compress(f_file(), place_line, f_enum(curve), f_of(p)), stat, errmsg)
    call f_drop(p)
  end function

  !> The points of orr_curve_compress: bytes that are no point are ORR_EINDEX, and the message names the place.
  !> @param bytes  u8 (…, 32) or (…, 64). orr_curve_in_group checks membership in the group.
  function orr_curve_decompress(curve, bytes, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_decompress(f_file(), place_line, f_enum(curve), f_of(bytes)), stat, errmsg)
    call f_drop(bytes)
  end function

  !> Σ k_i·p_i, by Pippenger's buckets: windows of digits and chunks of points are separate tasks.
  !> @param p  (n, 2) or (n, 2, 2)    @param k  fr254 (n)
  !> @return   one point; n = 0 gives infinity.
  function orr_curve_msm(curve, p, k, stat, errmsg) result(r_)
    integer, intent(in), optional :: curve
    type(orr_tensor), intent(in) :: p
    type(orr_tensor), intent(in) :: k
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_msm(f_file(), place_line, f_enum(curve), f_of(p), f_of(k)), stat, errmsg)
    call f_drop(p)
    call f_drop(k)
  end function

  !> True if Π e(p_i, q_i) = 1, by the optimal ate pairing.
  !> @param p  (n, 2)    @param q  (n, 2, 2), of order r (ORR_EINDEX)    @return  bool, rank 0.
  function orr_curve_pairing_check(p, q, stat, errmsg) result(r_)
    type(orr_tensor), intent(in) :: p
    type(orr_tensor), intent(in) :: q
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call f_made(r_, c_curve_pairing_check(f_file(), place_line, f_of(p), f_of(q)), stat, errmsg)
    call f_drop(p)
    call f_drop(q)
  end function

  function copy_i8_0(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, [integer ::], stat, errmsg)
  end function

  function wrap_i8_0(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_I8, [integer ::], stat, errmsg)
  end function

  subroutine read_i8_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, [integer ::], stat, errmsg)
  end subroutine

  function copy_i8_1(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_1(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_2(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_2(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_3(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_3(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_4(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_4(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_5(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_5(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_6(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_6(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_7(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_7(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i8_8(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  function wrap_i8_8(a, stat, errmsg) result(r_)
    integer(c_int8_t), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end function

  subroutine read_i8_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int8_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I8, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_0(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, [integer ::], stat, errmsg)
  end function

  function wrap_i16_0(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_I16, [integer ::], stat, errmsg)
  end function

  subroutine read_i16_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, [integer ::], stat, errmsg)
  end subroutine

  function copy_i16_1(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_1(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_2(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_2(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_3(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_3(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_4(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_4(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_5(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_5(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_6(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_6(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_7(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_7(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i16_8(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  function wrap_i16_8(a, stat, errmsg) result(r_)
    integer(c_int16_t), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end function

  subroutine read_i16_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int16_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I16, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_0(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, [integer ::], stat, errmsg)
  end function

  function wrap_i32_0(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_I32, [integer ::], stat, errmsg)
  end function

  subroutine read_i32_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, [integer ::], stat, errmsg)
  end subroutine

  function copy_i32_1(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_1(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_2(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_2(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_3(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_3(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_4(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_4(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_5(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_5(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_6(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_6(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_7(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_7(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i32_8(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  function wrap_i32_8(a, stat, errmsg) result(r_)
    integer(c_int32_t), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end function

  subroutine read_i32_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I32, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_0(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, [integer ::], stat, errmsg)
  end function

  function wrap_i64_0(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_I64, [integer ::], stat, errmsg)
  end function

  subroutine read_i64_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, [integer ::], stat, errmsg)
  end subroutine

  function copy_i64_1(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_1(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_2(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_2(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_3(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_3(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_4(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_4(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_5(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_5(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_6(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_6(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_7(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_7(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_i64_8(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  function wrap_i64_8(a, stat, errmsg) result(r_)
    integer(c_int64_t), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end function

  subroutine read_i64_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_I64, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_0(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, [integer ::], stat, errmsg)
  end function

  function wrap_f32_0(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_F32, [integer ::], stat, errmsg)
  end function

  subroutine read_f32_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, [integer ::], stat, errmsg)
  end subroutine

  function copy_f32_1(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_1(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_2(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_2(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_3(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_3(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_4(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_4(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_5(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_5(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_6(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_6(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_7(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_7(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f32_8(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  function wrap_f32_8(a, stat, errmsg) result(r_)
    real(c_float), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end function

  subroutine read_f32_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F32, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_0(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, [integer ::], stat, errmsg)
  end function

  function wrap_f64_0(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_F64, [integer ::], stat, errmsg)
  end function

  subroutine read_f64_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, [integer ::], stat, errmsg)
  end subroutine

  function copy_f64_1(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_1(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_2(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_2(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_3(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_3(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_4(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_4(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_5(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_5(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_6(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_6(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_7(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_7(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_f64_8(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  function wrap_f64_8(a, stat, errmsg) result(r_)
    real(c_double), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end function

  subroutine read_f64_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_F64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_0(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, [integer ::], stat, errmsg)
  end function

  function wrap_c64_0(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_C64, [integer ::], stat, errmsg)
  end function

  subroutine read_c64_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, [integer ::], stat, errmsg)
  end subroutine

  function copy_c64_1(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_1(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_2(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_2(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_3(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_3(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_4(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_4(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_5(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_5(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_6(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_6(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_7(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_7(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c64_8(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  function wrap_c64_8(a, stat, errmsg) result(r_)
    complex(c_float), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end function

  subroutine read_c64_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C64, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_0(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, [integer ::], stat, errmsg)
  end function

  function wrap_c128_0(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_C128, [integer ::], stat, errmsg)
  end function

  subroutine read_c128_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, [integer ::], stat, errmsg)
  end subroutine

  function copy_c128_1(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_1(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_2(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_2(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_3(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_3(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_4(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_4(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_5(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_5(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_6(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_6(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_7(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_7(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_c128_8(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  function wrap_c128_8(a, stat, errmsg) result(r_)
    complex(c_double), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end function

  subroutine read_c128_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_C128, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_0(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, [integer ::], stat, errmsg)
  end function

  function wrap_bool_0(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call wrap_array(r_, c_loc(a), ORR_BOOL, [integer ::], stat, errmsg)
  end function

  subroutine read_bool_0(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target :: a
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, [integer ::], stat, errmsg)
  end subroutine

  function copy_bool_1(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_1(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_1(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_2(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_2(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_2(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_3(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_3(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_3(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_4(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_4(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_4(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_5(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_5(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_5(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_6(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_6(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_6(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_7(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_7(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_7(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  function copy_bool_8(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    call copy_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  function wrap_bool_8(a, stat, errmsg) result(r_)
    logical(c_bool), intent(in), target :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: r_
    if (.not. is_contiguous(a)) then
      call f_settle(ORR_EINVAL, stat, errmsg, 'orr_wrap: the array is not contiguous: use orr_from')
      return
    end if
    call wrap_array(r_, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end function

  subroutine read_bool_8(x, a, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    logical(c_bool), intent(out), target, contiguous :: a(:, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call read_array(x, c_loc(a), ORR_BOOL, shape(a), stat, errmsg)
  end subroutine

  subroutine item_i8(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer(c_int8_t), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_i16(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer(c_int16_t), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_i32(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer(c_int32_t), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_i64(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    integer(c_int64_t), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_f32(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    real(c_float), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_c64(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    complex(c_float), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_c128(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    complex(c_double), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  subroutine item_bool(t, value, stat, errmsg)
    type(orr_tensor), intent(in) :: t
    logical(c_bool), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_tensor) :: one
    one = orr_reshape(t, [integer ::], stat, errmsg)
    call orr_read(one, value, stat, errmsg)
  end subroutine

  function add_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_add(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function add_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function add_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function add_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function add_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function add_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function add_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(x, orr_operand(y)))
  end function

  function add_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, add_tt(orr_operand(x), y))
  end function

  function sub_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_sub(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function sub_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function sub_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function sub_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function sub_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function sub_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function sub_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(x, orr_operand(y)))
  end function

  function sub_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, sub_tt(orr_operand(x), y))
  end function

  function tensor_negative(x) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor) :: r_
    call f_made(r_, c_neg(f_file(), place_line, f_of(x)))
    call f_drop(x)
  end function

  function mul_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_mul(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function mul_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function mul_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function mul_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function mul_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function mul_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function mul_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(x, orr_operand(y)))
  end function

  function mul_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, mul_tt(orr_operand(x), y))
  end function

  function div_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_div(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function div_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function div_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function div_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function div_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function div_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function div_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(x, orr_operand(y)))
  end function

  function div_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, div_tt(orr_operand(x), y))
  end function

  function pow_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_pow(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function pow_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function pow_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function pow_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function pow_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function pow_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function pow_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(x, orr_operand(y)))
  end function

  function pow_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, pow_tt(orr_operand(x), y))
  end function

  function equal_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_equal(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function equal_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function equal_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function equal_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function equal_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function equal_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function equal_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(x, orr_operand(y)))
  end function

  function equal_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, equal_tt(orr_operand(x), y))
  end function

  function not_equal_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_not_equal(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function not_equal_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function not_equal_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function not_equal_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function not_equal_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function not_equal_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function not_equal_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(x, orr_operand(y)))
  end function

  function not_equal_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, not_equal_tt(orr_operand(x), y))
  end function

  function less_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_less(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function less_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(x, orr_operand(y)))
  end function

  function less_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_tt(orr_operand(x), y))
  end function

  function less_equal_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_less_equal(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function less_equal_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function less_equal_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function less_equal_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function less_equal_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function less_equal_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function less_equal_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(x, orr_operand(y)))
  end function

  function less_equal_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, less_equal_tt(orr_operand(x), y))
  end function

  function greater_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_greater(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function greater_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(x, orr_operand(y)))
  end function

  function greater_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_tt(orr_operand(x), y))
  end function

  function greater_equal_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_greater_equal(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function greater_equal_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function greater_equal_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function greater_equal_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function greater_equal_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function greater_equal_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function greater_equal_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(x, orr_operand(y)))
  end function

  function greater_equal_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, greater_equal_tt(orr_operand(x), y))
  end function

  function logical_and_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_and(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function logical_and_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_and_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_and_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_and_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_and_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_and_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(x, orr_operand(y)))
  end function

  function logical_and_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_and_tt(orr_operand(x), y))
  end function

  function logical_or_tt(x, y) result(r_)
    type(orr_tensor), intent(in) :: x, y
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_or(f_file(), place_line, f_of(x), f_of(y)))
    call f_drop(x)
    call f_drop(y)
  end function

  function logical_or_tn_int32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int32_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_int32(x, y) result(r_)
    integer(c_int32_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  function logical_or_tn_int64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    integer(c_int64_t), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_int64(x, y) result(r_)
    integer(c_int64_t), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  function logical_or_tn_real32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_real32(x, y) result(r_)
    real(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  function logical_or_tn_real64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    real(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_real64(x, y) result(r_)
    real(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  function logical_or_tn_complex32(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_float), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_complex32(x, y) result(r_)
    complex(c_float), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  function logical_or_tn_complex64(x, y) result(r_)
    type(orr_tensor), intent(in) :: x
    complex(c_double), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(x, orr_operand(y)))
  end function

  function logical_or_nt_complex64(x, y) result(r_)
    complex(c_double), intent(in) :: x
    type(orr_tensor), intent(in) :: y
    type(orr_tensor) :: r_
    call number_operand(r_, logical_or_tt(orr_operand(x), y))
  end function

  ! A result goes on without a holder.
  subroutine number_operand(to, from)
    type(orr_tensor), intent(inout) :: to
    type(orr_tensor), intent(in) :: from
    to%t = from%t
    to%p => from%p
    to%holds = .false.
  end subroutine

  ! -- holders ------------------------------------------------------------------------------------------------

  impure elemental subroutine assign_tensor(to, from)
    class(orr_tensor), intent(inout) :: to
    type(orr_tensor), intent(in) :: from
    type(held), pointer :: p
    type(c_ptr) :: t
    t = from%t
    p => living(from)
    if (associated(p)) p%holders = p%holders + 1
    call let_go(to)
    to%t = t
    to%p => p
    to%holds = associated(p)
  end subroutine

  impure elemental subroutine end_tensor(x)
    type(orr_tensor), intent(inout) :: x
    call let_go(x)
  end subroutine

  subroutine let_go(x)
    class(orr_tensor), intent(inout) :: x
    if (x%holds .and. associated(x%p)) then
      x%p%holders = x%p%holders - 1
      if (x%p%holders == 0) call end_held(x%p)
    end if
    x%t = c_null_ptr
    x%p => null()
    x%holds = .false.
  end subroutine

  ! A result without a holder may have been freed, with p, by the procedure that took it before: the library knows stale names.
  function living(x) result(p)
    type(orr_tensor), intent(in) :: x
    type(held), pointer :: p
    p => x%p
    if (.not. x%holds .and. c_tensor_status(x%t) == ORR_EHANDLE) p => null()
  end function

  subroutine end_held(p)
    type(held), pointer, intent(inout) :: p
    integer(c_int) :: status
    status = c_free(f_file(), place_line, p%t)
    deallocate (p)
  end subroutine

  !> Frees the tensor, unless others hold it.
  subroutine orr_free(x)
    type(orr_tensor), intent(inout) :: x
    call let_go(x)
  end subroutine

  !> An object for a tensor of C that another owner frees, as the arguments of callbacks are.
  function orr_borrow(t) result(r_)
    type(c_ptr), intent(in) :: t
    type(orr_tensor) :: r_
    r_%t = t
  end function

  !> The tensor of C, which the object keeps.
  function orr_pointer(x) result(t)
    type(orr_tensor), intent(in) :: x
    type(c_ptr) :: t
    t = f_of(x)
  end function

  subroutine f_hold(x, t)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    allocate (x%p)
    x%t = t
    x%p%t = t
    x%holds = .false.
  end subroutine

  function f_of(x) result(t)
    type(orr_tensor), intent(in), optional :: x
    type(c_ptr) :: t
    t = c_null_ptr
    if (.not. present(x)) return
    t = x%t
  end function

  ! After the last use of an argument: a result of a function has no holder.
  subroutine f_drop(x)
    type(orr_tensor), intent(in), optional :: x
    type(held), pointer :: p
    if (.not. present(x)) return
    if (x%holds) return
    p => living(x)
    if (.not. associated(p)) return
    if (p%holders == 0) call end_held(p)
  end subroutine

  subroutine f_drop_all(x)
    type(orr_tensor), intent(in) :: x(:)
    integer :: k
    do k = 1, ubound(x, 1)
      call f_drop(x(k))
    end do
  end subroutine

  subroutine f_all(x, to)
    type(orr_tensor), intent(in) :: x(:)
    type(c_ptr), intent(out) :: to(*)
    integer :: k
    do k = 1, ubound(x, 1)
      to(k) = f_of(x(k))
    end do
  end subroutine

  subroutine f_results(x, from)
    type(orr_tensor), intent(inout) :: x(:)
    type(c_ptr), intent(in) :: from(*)
    integer :: k
    do k = 1, ubound(x, 1)
      call f_result(x(k), from(k))
    end do
  end subroutine

  ! A result that a variable of the caller holds.
  subroutine f_result(x, t)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    type(orr_tensor) :: fresh
    if (.not. c_associated(t)) return
    call f_hold(fresh, t)
    x = fresh
  end subroutine

  ! -- errors ---------------------------------------------------------------------------------------------------

  !> Messages of the following calls name this place: call orr_here(__FILE__, __LINE__) in a source that is preprocessed.
  !> Threads: one thread at a time.
  subroutine orr_here(file, line)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    place_line = int(line, c_int)
    if (associated(place_file)) then
      if (place_file == file // c_null_char) return
    end if
    allocate (character(kind=c_char, len=len(file) + 1) :: place_file) ! it outlives the tensors, as C wants
    place_file = file // c_null_char
  end subroutine

  function f_file() result(p)
    type(c_ptr) :: p
    if (associated(place_file)) then
      p = c_loc(place_file(1:1))
    else
      p = c_loc(no_place(1:1))
    end if
  end function

  subroutine f_settle(status, stat, errmsg, text)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: text
    character(:), allocatable :: message
    if (present(stat)) stat = status
    if (status == ORR_OK) return
    if (present(text)) then
      message = text
    else
      message = f_string(c_error_message())
    end if
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop message
  end subroutine

  subroutine f_made(x, t, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_hold(x, t)
    call f_settle(c_tensor_status(t), stat, errmsg)
  end subroutine

  ! -- conversions ------------------------------------------------------------------------------------------------

  function f_int(n) result(r_)
    class(*), intent(in), optional :: n
    integer(c_int64_t) :: r_
    r_ = 0
    if (.not. present(n)) return
    select type (n)
    type is (integer(c_int8_t))
      r_ = n
    type is (integer(c_int16_t))
      r_ = n
    type is (integer(c_int32_t))
      r_ = n
    type is (integer(c_int64_t))
      r_ = n
    class default
      error stop 'orrery: an argument is no integer'
    end select
  end function

  function f_enum(n) result(r_)
    integer, intent(in), optional :: n
    integer(c_int) :: r_
    r_ = 0
    if (present(n)) r_ = int(n, c_int)
  end function

  function f_real(x) result(r_)
    class(*), intent(in) :: x
    real(c_double) :: r_
    select type (x)
    type is (real(c_float))
      r_ = real(x, c_double)
    type is (real(c_double))
      r_ = x
    class default
      r_ = real(f_int(x), c_double)
    end select
  end function

  function f_bool(b) result(r_)
    logical, intent(in), optional :: b
    logical(c_bool) :: r_
    r_ = .false.
    if (present(b)) r_ = logical(b, c_bool)
  end function

  function f_number(x) result(r_)
    class(*), intent(in) :: x
    type(orr_number) :: r_
    r_%dtype = ORR_I64
    select type (x)
    type is (real(c_float))
      r_%dtype = ORR_F64
      r_%f = f_real(x)
    type is (real(c_double))
      r_%dtype = ORR_F64
      r_%f = x
    class default
      r_%i = f_int(x)
    end select
  end function

  subroutine f_ints(list, n, to)
    class(*), intent(in) :: list(:)
    integer(c_int), intent(out) :: n
    integer(c_int64_t), intent(out) :: to(8)
    integer :: k
    n = int(ubound(list, 1), c_int)
    to = 0
    do k = 1, min(8, ubound(list, 1))
      to(k) = f_int(list(k))
    end do
  end subroutine

  function f_shape(list) result(r_)
    class(*), intent(in) :: list(:)
    type(orr_shape) :: r_
    call f_ints(list, r_%rank, r_%dim)
  end function

  function f_index(list) result(r_)
    class(*), intent(in), optional :: list(:)
    type(orr_index) :: r_
    if (present(list)) call f_ints(list, r_%n, r_%v)
  end function

  function f_axes(list) result(r_)
    class(*), intent(in), optional :: list(:)
    type(orr_axes) :: r_
    integer(c_int64_t) :: to(8)
    r_%n = -1
    if (.not. present(list)) return
    call f_ints(list, r_%n, to)
    r_%axis = int(max(min(to, 2147483647_c_int64_t), -2147483648_c_int64_t), c_int)
  end function

  function f_string(p) result(r_)
    type(c_ptr), intent(in) :: p
    character(:), allocatable :: r_
    character(kind=c_char), pointer :: c(:)
    integer :: n, k
    if (.not. c_associated(p)) then
      r_ = ''
      return
    end if
    n = int(c_strlen(p))
    call c_f_pointer(p, c, [n])
    allocate (character(n) :: r_)
    do k = 1, n
      r_(k:k) = c(k)
    end do
  end function

  ! Texts with an end for C, and their addresses.
  subroutine f_texts(list, storage, to)
    character(*), intent(in) :: list(:)
    character(kind=c_char), allocatable, target, intent(out) :: storage(:, :)
    type(c_ptr), intent(out) :: to(*)
    integer :: i, k, n
    allocate (storage(len(list) + 1, ubound(list, 1)))
    do k = 1, ubound(list, 1)
      n = len_trim(list(k))
      do i = 1, n
        storage(i, k) = list(k)(i:i)
      end do
      storage(n + 1, k) = c_null_char
      to(k) = c_loc(storage(1, k))
    end do
  end subroutine

  subroutine f_names(p, n, names)
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: n
    character(:), allocatable, intent(out) :: names(:)
    type(c_ptr), pointer :: all(:)
    integer :: k, longest
    longest = 0
    if (c_associated(p) .and. n > 0) call c_f_pointer(p, all, [n])
    do k = 1, n
      longest = max(longest, int(c_strlen(all(k))))
    end do
    allocate (character(longest) :: names(n))
    do k = 1, n
      names(k) = f_string(all(k))
    end do
    call c_npz_names_free(p)
  end subroutine

  ! The text that a call has written to a stream in memory goes to Fortran's standard output, between the lines of the program.
  subroutine f_output(file, text)
    type(c_ptr), intent(in) :: file, text
    integer(c_int) :: status
    if (.not. c_associated(file)) return
    status = c_fclose(file)
    if (status == 0) write (output_unit, '(a)', advance='no') f_string(text)
    call c_release(text)
  end subroutine

  function f_length(a, b) result(n)
    integer, intent(in) :: a, b
    integer :: n
    n = merge(a, -1, a == b) ! the library refuses a negative length
  end function

  ! -- start ----------------------------------------------------------------------------------------------------------

  !> orr_init, which knows the version of the headers that this module was made from.
  subroutine orr_start(config, stat, errmsg)
    type(orr_config), intent(in), optional, target :: config
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: c_config
    c_config = c_null_ptr
    if (present(config)) c_config = c_loc(config)
    call f_settle(c_init(f_file(), place_line, ORR_HEADERS, c_config), stat, errmsg)
  end subroutine

  ! -- arrays ---------------------------------------------------------------------------------------------------------
  ! An array of Fortran in memory is the array of C with the axes in reverse order, so that a permuted view is all it needs.

  function reversed(t) result(p)
    type(c_ptr), intent(in) :: t
    type(c_ptr) :: p
    type(orr_axes) :: axes
    integer(c_int) :: status
    axes%n = -1
    p = c_permute(f_file(), place_line, t, axes)
    status = c_free(f_file(), place_line, t)
  end function

  function f_reversed_shape(extents) result(s)
    integer, intent(in) :: extents(:)
    type(orr_shape) :: s
    integer :: k
    s%rank = int(ubound(extents, 1), c_int)
    do k = 1, min(8, ubound(extents, 1))
      s%dim(k) = extents(ubound(extents, 1) + 1 - k)
    end do
  end function

  subroutine copy_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_made(x, reversed(c_from(f_file(), place_line, dtype, f_reversed_shape(extents), p)), stat, errmsg)
  end subroutine

  subroutine wrap_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_made(x, reversed(c_wrap(f_file(), place_line, dtype, f_reversed_shape(extents), p, c_null_funptr, c_null_ptr)), &
      stat, errmsg)
  end subroutine

  subroutine read_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_shape) :: s
    type(orr_axes) :: axes
    type(c_ptr) :: same, there
    integer(c_int) :: status, ignored
    integer :: k
    call c_tensor_shape(s, f_of(x))
    if (s%rank >= 0) then
      k = s%rank
      if (k /= ubound(extents, 1)) k = -1
      if (k > 0) then
        if (any(s%dim(1:k) /= extents)) k = -1
      end if
      if (k < 0) then
        call f_settle(ORR_ESHAPE, stat, errmsg, 'orr_read: the array has another shape than the tensor')
        call f_drop(x)
        return
      end if
    end if
    same = c_cast(f_file(), place_line, f_of(x), dtype)
    axes%n = -1
    there = c_permute(f_file(), place_line, same, axes)
    status = c_read(f_file(), place_line, there, p, c_dtype_size(dtype) * product(int(extents, c_size_t)))
    call f_settle(status, stat, errmsg)
    ignored = c_free(f_file(), place_line, there)
    ignored = c_free(f_file(), place_line, same)
    call f_drop(x)
  end subroutine

  ! -- operators --------------------------------------------------------------------------------------------------------

  function tensor_itself(x) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor) :: r_
    call f_made(r_, c_positive(f_file(), place_line, f_of(x)))
    call f_drop(x)
  end function

  function tensor_not(x) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_not(f_file(), place_line, f_of(x)))
    call f_drop(x)
  end function

  function of_number(v) result(r_)
    class(*), intent(in) :: v
    type(orr_tensor) :: r_
    type(orr_shape) :: none
    integer(c_int64_t) :: n
    select type (v)
    type is (complex(c_float))
      call f_made(r_, c_full_complex(f_file(), place_line, ORR_C64, none, real(v, c_double), real(aimag(v), c_double)))
    type is (complex(c_double))
      call f_made(r_, c_full_complex(f_file(), place_line, ORR_C128, none, real(v, c_double), aimag(v)))
    type is (real(c_float))
      call f_made(r_, c_scalar(f_file(), place_line, f_real(v)))
    type is (real(c_double))
      call f_made(r_, c_scalar(f_file(), place_line, v))
    class default
      n = f_int(v)
      if (abs(n) <= 2_c_int64_t**53) then
        call f_made(r_, c_scalar(f_file(), place_line, real(n, c_double)))
      else
        call f_made(r_, c_full_number(f_file(), place_line, ORR_I64, none, f_number(n)))
      end if
    end select
  end function

end module
