# seurat.R PATH write|read|change - an h5Seurat file by hdf5r, as SeuratDisk lays it out (seurat.py describes it).
suppressMessages(library(hdf5r))
arguments <- commandArgs(TRUE)
path <- arguments[1]
options(width = 200)
text <- H5T_STRING$new(size = Inf)$set_cset("UTF-8")
scalar <- H5S$new("scalar")
growing <- function(dims) H5S$new("simple", dims = dims, maxdims = rep(Inf, length(dims)))
quietly <- function(...) invisible(...)

note <- function(node, name, value) quietly(node$create_attr(name, robj = value, dtype = text))
vector <- function(group, name, data, dtype = NULL) quietly(group$create_dataset(name, robj = data, dtype = dtype, space = growing(length(data)), gzip_level = 4))
matrix_of <- function(group, name, data) quietly(group$create_dataset(name, robj = data, space = growing(dim(data)), chunk_dims = dim(data), gzip_level = 4))
factor_of <- function(group, name, data) {
  g <- group$create_group(name)
  vector(g, "levels", levels(data), text)
  vector(g, "values", as.integer(data))
}
logical_of <- function(group, name, data) {
  vector(group, name, ifelse(is.na(data), 2L, as.integer(data)))
  note(group[[name]], "s3class", "logical")
}

write_all <- function() {
  f <- H5File$new(path, mode = "w")
  note(f, "project", "SeuratProject"); note(f, "active.assay", "RNA"); note(f, "version", "3.1.5.9900")
  vector(f, "cell.names", c("AAAC-1", "AAAG-1", "größe"), text)
  factor_of(f, "active.ident", factor(c("x", "y", NA)))
  frame <- f$create_group("meta.data")
  factor_of(frame, "orig.ident", factor(c("p", "q", "p")))
  vector(frame, "nCount_RNA", c(1, NA, 3.5)); vector(frame, "n", c(1L, NA, 3L)); logical_of(frame, "is.doublet", c(TRUE, FALSE, NA))
  note(frame, "colnames", c("orig.ident", "nCount_RNA", "n", "is.doublet")); note(frame, "logicals", "is.doublet")
  rna <- f$create_group("assays")$create_group("RNA")
  counts <- rna$create_group("counts")
  vector(counts, "data", c(1, 2, 3)); vector(counts, "indices", c(0L, 1L, 0L)); vector(counts, "indptr", c(0L, 1L, 2L, 3L))
  quietly(counts$create_attr("dims", robj = c(2L, 3L)))
  matrix_of(rna, "scale.data", matrix(as.numeric(1:6), nrow = 2))
  quietly(rna$create_dataset("meta.features", robj = data.frame(gene = c("g1", "g2"), mean = c(0.5, 1.5), n = 1:2, stringsAsFactors = FALSE)))
  quietly(f$create_group("reductions")$create_group("pca")$create_attr("global", robj = 0L, space = scalar))
  chromatin <- f[["assays"]]$create_group("ATAC")
  note(chromatin, "s4class", "Signac:ChromatinAssay")
  log <- f$create_group("commands")$create_group("FindNeighbors")
  note(log, "call.string", c("FindNeighbors(object = x, ", "    dims = 1:3)")); vector(log, "dims", 1:3)
  list <- f$create_group("tools")$create_group("run")
  note(list, "names", c("a", "b")); note(list, "s3class", c("outcome", "list")); vector(list, "a", 1:3); vector(list, "b", "hello", text)
  quietly(f$create_dataset("cube", robj = array(as.numeric(1:24), dim = c(2, 3, 4))))
  quietly(f$create_dataset("enumeration", robj = factor(c("u", "v", "u"))))
  quietly(f$create_dataset("truth", robj = c(TRUE, FALSE)))
  quietly(f$create_dataset("nothing", robj = numeric(0), space = growing(0), chunk_dims = 16))
  f$close_all()
}

show <- function(f) {
  found <- f$ls(recursive = TRUE)
  print(found[order(found$name), c("name", "obj_type", "dataset.dims", "dataset.maxdims", "dataset.type_class")], row.names = FALSE)
  for (name in sort(found$name)) {
    node <- f[[name]]
    for (attribute in sort(h5attr_names(node))) { cat(name, "@", attribute, "\n"); print(h5attr(node, attribute)) }
    if (inherits(node, "H5D")) { cat(name, "\n"); print(node$read()); print(node$get_type()$to_text()) }
    node$close()
  }
  print(f[["assays/RNA/scale.data"]][2, 2:3]); print(f$exists("tools/run/a")); print(f[["assays/RNA"]]$get_obj_name())
  print(f[["cube"]][1, , 2:3]); print(f[["cell.names"]][c(1, 3)])
}

change <- function() {
  f <- H5File$new(path, mode = "r+")
  f$attr_delete("version"); note(f, "version", "4.0")
  f$link_delete("truth")
  f[["assays/RNA/counts/data"]][4:6] <- c(7, 8, 9)
  f[["assays/RNA/scale.data"]][1, 2] <- -1
  quietly(f$obj_copy_from(f, "tools/run", "copied")); quietly(f$link_move_from(f, "nothing", "moved"))
  f$close_all()
}

switch(arguments[2], write = write_all(), change = change())
f <- H5File$new(path, mode = "r")
show(f)
f$close_all()
