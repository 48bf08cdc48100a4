// Start-up time and anonymous memory with N entries in 1,000 streams, after kill -9 and after a clean stop.

import { Peer, type PeerName } from './peer.js'
import { fill } from './rows.js'

export interface Restart {
  peer: PeerName
  entries: number
  rssAnonLoadedBytes: number
  rssAnonRestartedBytes: number
  diskBytes: number
  killedMs: number
  cleanMs: number
  /** Processor time of all threads until then: what a busy machine leaves alone. */
  killedCpuS: number
  cleanCpuS: number
}

const STREAMS = 1000

export async function measureRestart(entries: number, progress: (text: string) => void): Promise<Restart[]> {
  const results: Restart[] = []
  for (const name of ['redis', 'millrace'] as const) {
    progress(`restart with ${entries} entries: ${name}`)
    const peer = new Peer(name, 'everysec')
    try {
      await peer.start()
      await fill(peer.port, STREAMS, Math.ceil(entries / STREAMS))
      const rssAnonLoadedBytes = peer.rssAnonBytes()
      await peer.end('SIGKILL')
      const killedMs = await peer.start()
      const killedCpuS = peer.cpuSeconds()
      const rssAnonRestartedBytes = peer.rssAnonBytes()
      await peer.end('SIGTERM')
      const cleanMs = await peer.start()
      const cleanCpuS = peer.cpuSeconds()
      const diskBytes = peer.diskBytes()
      const times = { killedMs, cleanMs, killedCpuS, cleanCpuS }
      results.push({ peer: name, entries, rssAnonLoadedBytes, rssAnonRestartedBytes, diskBytes, ...times })
    } finally {
      await peer.remove()
    }
  }
  return results
}

export function restartTable(restarts: readonly Restart[]): string {
  const mb = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
  const s = (n: number) => `${n.toFixed(2)} s`
  const ms = (n: number) => `${Math.round(n).toLocaleString('en')} ms`
  return [
    `Start with ${restarts[0].entries.toLocaleString('en')} entries in ${STREAMS.toLocaleString('en')} streams ` +
      '(time until PING is answered):',
    '',
    '| server | after kill -9 (CPU) | after a clean stop (CPU) | RssAnon loaded | RssAnon restarted | disk |',
    '|---|---|---|---|---|---|',
    ...restarts.map(
      r =>
        `| ${r.peer} | ${ms(r.killedMs)} (${s(r.killedCpuS)}) | ${ms(r.cleanMs)} (${s(r.cleanCpuS)}) | ` +
        `${mb(r.rssAnonLoadedBytes)} | ${mb(r.rssAnonRestartedBytes)} | ${mb(r.diskBytes)} |`,
    ),
  ].join('\n')
}
