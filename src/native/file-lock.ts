// Exclusive lock on an open file. Used by: store/lock, which writes a process id into the file as well and so works,
// less strictly, where the addon is missing.

import { addon } from './addon.js'

/**
 * 0, or -errno; -EWOULDBLOCK (-11) when somebody else holds it. Gone when the descriptor is closed or the process ends.
 */
export type LockFile = (fd: number) => number

/** Node has no way to lock a file: always "locked", and store/lock has only the process id to go by. */
export const twinLockFile: LockFile = () => 0

export const nativeLockFile: LockFile | undefined = addon?.lockFile

export const lockFile: LockFile = nativeLockFile ?? twinLockFile
