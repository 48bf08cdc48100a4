// Which Redis we answer for, and who we are.

import { readFileSync } from 'node:fs'

/** Clients switch features on by it: the commands are those of this release. */
export const REDIS_VERSION = '7.2.4'

// The same distance from src/base and from dist/base.
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

export const MILLRACE_VERSION = manifest.version
