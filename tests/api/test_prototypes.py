"""C text from the tables: what cffi reads, and what a C compiler does, have the types of the tables."""

from typing import Any

import pytest
from cffi import FFI

from comch_next import api
from comch_next.api import prototypes
from comch_next.api.prototypes import cdef, declaration, definition, prototype

FACES: tuple[tuple[api.Generation, ...], ...] = (("core", "comch"), ("core", "comm_channel"))


@pytest.mark.parametrize("generations", FACES)
def test_cffi_reads_every_function_and_callback(generations: tuple[api.Generation, ...]) -> None:
    ffi = FFI()
    ffi.cdef(cdef(*generations))
    ffi_library = ffi.dlopen(None)
    for row in (row for generation in generations for row in api.functions(generation)):
        with pytest.raises(AttributeError, match="symbol"):  # declared, and in no library that is loaded
            getattr(ffi_library, row.name)
    for callback in (row for generation in generations for row in api.callbacks(generation)):
        assert ffi.typeof(f"{callback.name} *").kind in ("pointer", "function")


def test_cffi_gets_the_union_by_value_in_its_register() -> None:
    text = cdef("core")
    assert "void doca_task_set_user_data(struct doca_task *task, uint64_t user_data);" in text
    assert "uint64_t doca_task_get_user_data(const struct doca_task *task);" in text
    assert "doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);" in text


def test_c_gets_the_union_itself() -> None:
    written = prototype(api.function("doca_task_set_user_data"))
    assert written == "void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)"


@pytest.mark.parametrize(
    ("ctype", "written"),
    [("uint32_t", "uint32_t x"), ("struct doca_dev **", "struct doca_dev **x"), ("...", "...")],
)
def test_a_declaration_has_its_stars_at_the_name(ctype: str, written: str) -> None:
    assert declaration(ctype, "x") == written


def test_a_callback_is_a_pointer_unless_setters_take_a_pointer_to_it() -> None:
    text = cdef("core")
    assert "typedef void (*log_flush_callback)(char *buffer);" in text
    assert "typedef void doca_mmap_memrange_free_cb_t(void *addr, size_t len, void *cookie);" in text


def test_a_function_without_parameters_takes_void() -> None:
    assert prototype(api.function("doca_version")) == "const char *doca_version(void)"


def test_the_address_of_doca_1_5_is_a_number_and_its_parts() -> None:
    ffi = FFI()
    row = next(row for row in api.structs("core") if row.name == "doca_pci_bdf")
    ffi.cdef(definition(row))
    address: Any = ffi.new("struct doca_pci_bdf *", {"raw": 0x0318})
    assert (ffi.sizeof(address[0]), address.bus, address.device, address.function) == (2, 0x18, 3, 0)


def test_each_tag_is_announced_once() -> None:
    announced = [line for line in cdef("core", "comch").splitlines() if line.startswith("struct ")]
    assert len(announced) == len(set(announced))


def test_tags_are_those_of_parameters_and_results() -> None:
    assert list(prototypes.tags([api.function("doca_dev_open")])) == ["struct doca_devinfo", "struct doca_dev"]
