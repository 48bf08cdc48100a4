// Where the matrix does not compare byte by byte, each with its reason.

/** Rows that no cell sends, because they would end or change the server for all cells behind them. */
export const UNSENT: ReadonlyMap<string, string> = new Map([
  ['shutdown', 'ends the server; test/main proves it'],
  ['quit', 'ends the connection; it is part of the state "closing"'],
  ['monitor', 'makes the connection show every later cell; it is a state of its own'],
  ['sync', 'sends bytes that are no reply; commands/sync proves it'],
  ['script|debug', 'the reference refuses it in a pipeline, which the cells are'],
  ['xnodelimits', 'internal: unknown to clients'],
  ['stage', 'internal: unknown to clients'],
  ['staged', 'internal: unknown to clients'],
])

/**
 * Rows of Redis after 7.0, with a row of 7.0 that has the same flags: the reference's refusal of that one, with the
 * name exchanged, is what is expected.
 */
export const LATER: ReadonlyMap<string, string> = new Map([
  ['waitaof', 'wait'],
  ['client|setinfo', 'client|setname'],
  ['client|no-touch', 'client|no-evict'],
  ...['hexpire', 'hpexpire', 'hexpireat', 'hpexpireat'].map(name => [name, 'hset'] as const),
  ...['httl', 'hpttl', 'hexpiretime', 'hpexpiretime'].map(name => [name, 'hmget'] as const),
  ['hpersist', 'hdel'],
  ['xackdel', 'xack'],
  ['xdelex', 'xdel'],
  ['xnack', 'xclaim'],
  ...['xcfgset', 'xidmprecord'].map(name => [name, 'xsetid'] as const),
])

/** Rows whose replies tell of the server, the clock or chance: only the type of the reply is compared. */
export const VARYING: ReadonlySet<string> = new Set([
  'client|id',
  'client|info',
  'client|list',
  'client|kill',
  'time',
  'lolwut',
  'role',
  'info',
  'lastsave',
  'hello',
  'command|count',
  'command|list',
  'command|info',
  'command|docs',
  'config|get',
  'slowlog|get',
  'slowlog|len',
  'latency|latest',
  'latency|histogram',
  'latency|doctor',
  'latency|reset',
  'memory|usage',
  'memory|stats',
  'memory|doctor',
  'memory|malloc-stats',
  'acl|cat',
  'acl|genpass',
  'acl|list',
  'acl|log',
  'acl|getuser',
  'acl|users',
  'function|stats',
  'function|dump',
  'object|idletime',
  'dump',
  'randomkey',
  'spop',
  'srandmember',
  'hrandfield',
  'zrandmember',
  'dbsize',
  'scan',
  'bgsave',
  'bgrewriteaof',
  'wait',
])

/** Explanations are our own sentences. */
export function isHelp(name: string): boolean {
  return name.endsWith('|help')
}

/** Single cells, by the first word of the state and the row: why they differ, and what is in our reply. */
export const CELLS: ReadonlyMap<string, { readonly why: string; readonly ours: RegExp }> = new Map([
  [
    'expired memory|usage',
    // What Redis says depends on whether another cell has met the key before.
    { why: 'Redis tells the size of a key whose time has come; here it is gone for everybody', ours: /any [$_]/ },
  ],
  ['full xcfgset', { why: 'its stand-in XSETID is refused when memory is full, it is not', ours: /-ERR no such key/ }],
])
