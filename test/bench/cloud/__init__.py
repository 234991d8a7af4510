"""Stores in a bucket: this connector and everybody else who can, from the same servers, in turns."""
