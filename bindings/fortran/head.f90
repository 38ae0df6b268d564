
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
