"""Random operations: what is drawn follows from the seed alone, so the native file and the store get the same ones."""

import random

NAMES = ["a", "b", "c", "ü x", "d.e", "f"]
NUMBERS = ["i1", "<i4", ">i8", "u2", "f4", ">f8", "f2"]
OTHERS = ["c16", "bool", "S4", "text", "bytes", "utf8 6", "enum", "sequence", "pair", "named", "array", "void", "reference", "region", "record"]
FILES = 3

WEIGHTS = {
    "group": 4, "dataset": 10, "datatype": 1, "with_datatype": 1, "anonymous": 1, "copy": 3, "rename": 3, "delete": 3, "look": 3, "info": 2, "same": 1,
    "soft": 2, "hard": 3, "external": 1, "links": 3, "link_info": 1, "exists": 2, "visit": 1, "visit_links": 1,
    "attribute": 7, "modify_attribute": 1, "delete_attribute": 2, "rename_attribute": 1, "attributes": 3,
    "write": 7, "write_other": 3, "read": 6, "read_as": 2, "read_points": 2, "write_points": 2, "resize": 5, "refresh": 2, "flush_object": 1, "chunks": 1, "region": 1,
    "keep": 3, "kept_look": 2, "kept_name": 1, "kept_write": 2, "kept_link": 1, "drop": 1,
    "scale": 1, "attach": 1, "label": 1, "scales": 1, "detach": 0.5, "scales_of": 0.5,
    "iterate": 1, "visit_ordered": 0.5, "by_index": 1, "open_by_index": 1, "delete_by_index": 0.5, "attribute_by_index": 1, "attributes_in_order": 1,
    "comment": 1, "comment_of": 1, "names": 1, "copy_link": 1, "hard_by_id": 1, "value_of_link": 1, "reference": 1,
    "type_of": 1, "same_type": 0.5, "properties": 2, "typed_attribute": 1, "copy_out": 1, "copy_in": 1, "external_out": 0.5, "virtual": 1, "sources": 0.5,
    "read_union": 2, "write_union": 2, "read_list": 1, "read_into": 1, "write_value": 1, "read_fields": 1, "write_field": 1, "read_many": 1, "write_many": 1,
    "read_chunk": 2, "write_chunk": 2, "chunk_infos": 1,
    "flush": 2, "open": 2, "close": 1, "reopen": 2, "everything": 2,
}


class Program:
    """`more`: names of operations that are drawn eight times as often."""

    def __init__(self, seed, more=()):
        self.rng = random.Random(seed)
        self.weights = [weight * (8 if name in more else 1) for name, weight in WEIGHTS.items()]
        self.groups, self.datasets, self.types, self.others = ["/"], [], [], []
        self.slots = {0}

    def slot(self):
        return self.rng.choice(sorted(self.slots)) if self.slots and self.rng.random() < 0.97 else self.rng.randrange(FILES)

    def any_path(self):
        pool = self.rng.choice([self.groups, self.datasets, self.datasets, self.types or self.groups, self.others or self.datasets]) or self.groups
        return self.rng.choice(pool[-12:] + ["/"]) if self.rng.random() < 0.97 else "/none/here"

    def group_path(self):
        return self.rng.choice(self.groups[-6:] + ["/"])

    def dataset_path(self):
        return self.rng.choice(self.datasets[-8:]) if self.datasets and self.rng.random() < 0.95 else self.any_path()

    def new_path(self, pool):
        parent = self.group_path().rstrip("/")
        path = f"{parent}/{self.rng.choice(NAMES)}{self.rng.randrange(12)}"
        pool.append(path)
        return path

    def where(self):
        return [tuple(self.rng.random() for _ in range(3)) for _ in range(4)]

    def seed(self):
        return self.rng.randrange(1 << 30)

    def dtype(self):
        return self.rng.choice(NUMBERS if self.rng.random() < 0.6 else OTHERS)

    def options(self, shape, dtype):
        rng, options = self.rng, {}
        if shape and min(shape) and rng.random() < 0.7:
            options["chunks"] = tuple(rng.randint(1, n) for n in shape)
            options["maxshape"] = rng.choice([shape, (None,) * len(shape), tuple(n + 5 for n in shape)])
            if rng.random() < 0.4:
                options["compression"] = rng.choice(["gzip", "gzip", "lzf"])
                if options["compression"] == "gzip" and rng.random() < 0.3:
                    options["compression_opts"] = rng.randint(0, 9)
            elif dtype in ("<i4", ">i8", "u2") and rng.random() < 0.2:
                options["scaleoffset"] = 0
            options["shuffle"] = rng.random() < 0.3
            options["fletcher32"] = rng.random() < 0.2 and dtype not in ("text", "bytes", "sequence", "named")
        elif shape and rng.random() < 0.2:
            options["compact"] = True
        options["fill"] = rng.random() < 0.3
        options["track_order"] = rng.choice([None, None, True])
        return options

    # --- one of each ---

    def draw_group(self):
        return self.slot(), self.new_path(self.groups), self.rng.choice([None, True, False])

    def draw_dataset(self):
        shape = tuple(self.rng.randrange(9) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))
        dtype = self.dtype()
        return self.slot(), self.new_path(self.datasets), dtype, None if self.rng.random() < 0.04 else shape, self.seed(), self.options(shape, dtype), self.rng.random() < 0.8

    def draw_datatype(self):
        return self.slot(), self.new_path(self.types), self.dtype()

    def draw_with_datatype(self):
        return self.slot(), self.new_path(self.datasets), self.rng.choice(self.types or ["/"])

    def draw_anonymous(self):
        return self.slot(), self.new_path(self.datasets), self.seed()

    def draw_copy(self):
        return self.slot(), self.any_path(), self.new_path(self.others), {flag: True for flag in ("shallow", "expand_soft", "without_attrs") if self.rng.random() < 0.2}

    def draw_rename(self):
        source, target = self.any_path(), self.new_path(self.others)
        if (target + "/").startswith(source + "/"):  # native HDF5 lets a group vanish into itself
            target = "/away"
        return self.slot(), source, target

    def draw_delete(self):
        return self.slot(), self.any_path()

    def draw_same(self):
        return self.slot(), self.any_path(), self.any_path()

    draw_look = draw_info = draw_exists = draw_link_info = draw_attributes = draw_refresh = draw_flush_object = draw_delete

    def draw_links(self):
        return self.slot(), self.group_path()

    def draw_visit(self):
        return self.slot(), "/"

    draw_visit_links = draw_visit

    def draw_soft(self):
        return self.slot(), self.new_path(self.others), self.rng.choice([self.any_path(), "a0", "../b", "/none"])

    def draw_hard(self):
        return self.slot(), self.new_path(self.others), self.any_path()

    draw_external = draw_hard

    def draw_attribute(self):
        shape = None if self.rng.random() < 0.05 else tuple(self.rng.randrange(4) for _ in range(self.rng.choice([0, 0, 1, 2])))
        return self.slot(), self.any_path(), self.rng.choice(NAMES), self.dtype(), shape, self.seed()

    def draw_modify_attribute(self):
        return self.slot(), self.any_path(), self.rng.choice(NAMES), self.seed()

    def draw_delete_attribute(self):
        return self.slot(), self.any_path(), self.rng.choice(NAMES)

    def draw_rename_attribute(self):
        return self.slot(), self.any_path(), self.rng.choice(NAMES), self.rng.choice(NAMES)

    def draw_write(self):
        return self.slot(), self.dataset_path(), self.where(), self.seed()

    def draw_write_other(self):
        return self.slot(), self.dataset_path(), self.where(), self.rng.choice(["i1", "<i4", "f4"]), self.seed()

    def draw_read(self):
        return self.slot(), self.dataset_path(), self.where()

    draw_region = draw_read

    def draw_read_as(self):
        return self.slot(), self.dataset_path(), self.rng.choice(["<i4", ">i8", ">f8"])

    def draw_read_points(self):
        return self.slot(), self.dataset_path(), self.rng.random()

    def draw_write_points(self):
        return self.slot(), self.dataset_path(), self.rng.random(), self.rng.randrange(100)

    def draw_resize(self):
        return self.slot(), self.dataset_path(), tuple(self.rng.randrange(12) for _ in range(3))

    def draw_chunks(self):
        return self.slot(), self.dataset_path()

    draw_scales = draw_chunks

    def draw_keep(self):
        return self.slot(), self.rng.randrange(6), self.any_path()

    def draw_kept_look(self):
        return (self.rng.randrange(6),)

    draw_kept_name = draw_drop = draw_kept_look

    def draw_kept_write(self):
        return self.rng.randrange(6), self.seed()

    def draw_kept_link(self):
        return self.slot(), self.rng.randrange(6), self.new_path(self.others)

    def draw_scale(self):
        return self.slot(), self.dataset_path(), self.rng.choice(["", "x", "time"])

    def draw_attach(self):
        return self.slot(), self.dataset_path(), self.dataset_path(), self.rng.randrange(2)

    def draw_label(self):
        return self.slot(), self.dataset_path(), self.rng.randrange(2), self.rng.choice(NAMES)

    draw_detach = draw_scales_of = draw_attach

    # --- by index, names, types, other files ---

    def draw_iterate(self):
        return self.slot(), self.group_path(), self.rng.randrange(2), self.rng.randrange(2)

    draw_visit_ordered = draw_iterate

    def draw_by_index(self):
        return self.slot(), self.group_path(), self.rng.randrange(6), self.rng.randrange(2), self.rng.randrange(2)

    draw_open_by_index = draw_delete_by_index = draw_by_index

    def draw_attribute_by_index(self):
        return self.slot(), self.any_path(), self.rng.randrange(3), self.rng.randrange(2), self.rng.randrange(2)

    def draw_attributes_in_order(self):
        return self.slot(), self.any_path(), self.rng.randrange(2), self.rng.randrange(2)

    def draw_comment(self):
        return self.slot(), self.any_path(), self.rng.choice([b"", b"text", "ü".encode()])

    draw_comment_of = draw_names = draw_value_of_link = draw_reference = draw_type_of = draw_properties = draw_sources = draw_delete
    draw_same_type = draw_same
    draw_hard_by_id = draw_hard

    def draw_copy_link(self):
        return self.slot(), self.any_path(), self.new_path(self.others)

    def draw_typed_attribute(self):
        return self.slot(), self.any_path(), self.rng.choice(NAMES), self.rng.choice(self.types or ["/"]), self.seed()

    def flags(self, *names):
        return {name: True for name in names if self.rng.random() < 0.2}

    def draw_copy_out(self):
        return self.slot(), self.any_path(), self.rng.choice(NAMES) + str(self.rng.randrange(3)), self.flags("shallow", "expand_soft", "expand_refs", "without_attrs")

    def draw_copy_in(self):
        return self.slot(), self.rng.choice(NAMES) + str(self.rng.randrange(3)), self.new_path(self.others), self.flags("expand_soft", "expand_refs", "without_attrs")

    def draw_external_out(self):
        return self.slot(), self.new_path(self.others), self.rng.choice(NAMES) + str(self.rng.randrange(3))

    def draw_virtual(self):
        return self.slot(), self.new_path(self.datasets), [self.dataset_path() for _ in range(self.rng.randint(1, 3))], self.rng.randrange(2)

    # --- selections, chunks ---

    def draw_read_union(self):
        return self.slot(), self.dataset_path(), self.where(), self.rng.randint(1, 4)

    def draw_write_union(self):
        return *self.draw_read_union(), self.seed()

    draw_read_list = draw_read_into = draw_read_chunk = draw_read
    draw_write_chunk = draw_write
    draw_chunk_infos = draw_chunks

    def draw_write_value(self):
        return self.slot(), self.dataset_path(), self.rng.randrange(100)

    def draw_read_fields(self):
        return self.slot(), self.dataset_path(), self.rng.choice(["a", "b", ["b", "a"], "n", "k", ["n"], "r", "i"])

    def draw_write_field(self):
        return self.slot(), self.dataset_path(), self.rng.choice(["a", "n", "b", "i"]), self.seed()

    def draw_read_many(self):
        return self.slot(), [self.dataset_path() for _ in range(3)]

    def draw_write_many(self):
        return *self.draw_read_many(), self.seed()

    def draw_flush(self):
        return (self.slot(),)

    draw_everything = draw_flush

    def draw_open(self):
        slot = self.rng.randrange(FILES)
        self.slots.add(slot)
        return slot, self.rng.choice(["r+", "r+", "a", "r"])

    def draw_close(self):
        slot = self.slot()
        self.slots.discard(slot)
        return (slot,)

    def draw_reopen(self):
        self.slots = {0}
        return (self.rng.choice(["r+", "a"]),)

    def next(self):
        if not self.slots:
            return "reopen", self.draw_reopen()
        name = self.rng.choices(list(WEIGHTS), self.weights)[0]
        return name, getattr(self, f"draw_{name}")()
