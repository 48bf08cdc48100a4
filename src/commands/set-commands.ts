// All rows of the set family.

import { setAlgebra } from './set-algebra.js'
import { setChangers } from './set-change.js'
import { setReaders } from './set-read.js'
import type { CommandSpec } from './spec.js'

export const setCommands: readonly CommandSpec<never>[] = [...setChangers, ...setReaders, ...setAlgebra]
