# SPDX-License-Identifier: GPL-2.0-or-later
"""Running cells on other machines: what is sent to them, what they answer, and what is refused.

What is sent is data: a cell with its specification and profiles, and the names of what its guest
is booted with. These are digests of files; a worker that lacks them is sent them once, and keeps
them in its cache. What comes back is the bytes of the files that the cell leaves.

    content      files that are known by what is in them
    parcel       a cell as it is sent, and what it leaves
    host         what of a machine a result depends on besides
    attendant    the process beside a worker that runs its cells
    worker       what a worker is asked to do
    deal         an Executor over a cluster: gives cells to workers, and bears losing them
    dask         Dask as such a cluster
"""
