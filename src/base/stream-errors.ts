// Reply texts of the stream commands, beside those of errors.ts that they share with others: the words of Redis, to
// the byte. Functions take names as latin1 strings.

import { quoting } from './errors.js'

export const streamErrors = {
  invalidId: 'ERR Invalid stream ID specified as stream command argument',
  invalidStart: 'ERR invalid start ID for the interval',
  invalidEnd: 'ERR invalid end ID for the interval',

  idIsZero: 'ERR The ID specified in XADD must be greater than 0-0',
  idNotAbove: 'ERR The ID specified in XADD is equal or smaller than the target stream top item',
  exhausted: 'ERR The stream has exhausted the last possible ID, unable to add more items',
  tooLarge: 'ERR Elements are too large to be stored',

  maxlenNegative: 'ERR The MAXLEN argument must be >= 0.',
  limitNegative: 'ERR The LIMIT argument must be >= 0.',
  twoStrategies: 'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
  limitWithoutStrategy: 'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
  limitWithoutTilde: 'ERR syntax error, LIMIT cannot be used without the special ~ option',
  trimWithoutStrategy: 'ERR syntax error, XTRIM must be called with a trimming strategy',

  setIdBelowGivenTombstone: 'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
  setIdBelowTop: 'ERR The ID specified in XSETID is smaller than the target stream top item',
  entriesAddedNegative: 'ERR entries_added must be positive',
  entriesAddedBelowLength: 'ERR The entries_added specified in XSETID is smaller than the target stream length',

  timeoutNotAnInteger: 'ERR timeout is not an integer or out of range',
  timeoutNegative: 'ERR timeout is negative',
  unbalanced: "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
  groupInRead: 'ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
  noAckInRead: 'ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
  claimInRead: 'ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.',
  readIdleNotAnInteger: 'ERR min-idle-time is not an integer or out of range',
  readIdleNegative: 'ERR min-idle-time must be a positive integer',
  maxCountNotPositive: 'ERR MAXCOUNT must be a positive integer',
  maxSizeNotPositive: 'ERR MAXSIZE must be a positive integer',
  maxCountBelowCount: 'ERR MAXCOUNT must be greater than or equal to COUNT',
  groupMissing: 'ERR Missing GROUP option for XREADGROUP',
  newInRead: 'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
  /** @param id '$' or '+' */
  meaninglessInGroup: (id: string) =>
    `ERR The ${id} ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by ` +
    `specifying a proper ID, or use the > ID to get new messages. The ${id} ID would just return an empty result set.`,
  noGroupInRead: (key: string, group: string) =>
    quoting`NOGROUP No such key '${key}' or consumer group '${group}' in XREADGROUP with GROUP option`,
  keyGone: 'UNBLOCKED the stream key no longer exists',
  groupGone: 'NOGROUP the consumer group this client was blocked on no longer exists',

  noKeyOrGroup: (key: string, group: string) => quoting`NOGROUP No such key '${key}' or consumer group '${group}'`,
  noGroup: (key: string, group: string) => quoting`NOGROUP No such consumer group '${group}' for key name '${key}'`,
  groupExists: 'BUSYGROUP Consumer Group name already exists',
  groupNeedsKey:
    'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM ' +
    'option to create an empty stream automatically.',
  entriesReadNegative: 'ERR value for ENTRIESREAD must be positive or -1',

  claimMinIdle: 'ERR Invalid min-idle-time argument for XCLAIM',
  claimOption: (option: string) => quoting`ERR Invalid ${option} option argument for XCLAIM`,
  claimUnknown: (option: string) => quoting`ERR Unrecognized XCLAIM option '${option}'`,
  autoClaimMinIdle: 'ERR Invalid min-idle-time argument for XAUTOCLAIM',
  autoClaimCount: 'ERR COUNT must be > 0',

  idsNotPositive: 'ERR Number of IDs must be a positive integer',
  idsMismatch: 'ERR The `numids` parameter must match the number of arguments',
  nackMode: 'ERR mode must be SILENT, FAIL, or FATAL',
  nackIdsMissing: 'ERR syntax error, expected IDS keyword',
  nackIdsNotPositive: 'ERR numids must be a positive integer',
  nackIdsMismatch: "ERR number of IDs doesn't match numids",
  nackRetryCount: 'ERR Invalid RETRYCOUNT value, must be >= 0',
  nackUnknown: (option: string) => quoting`ERR Unrecognized XNACK option '${option}'`,

  idempotenceNeedsStar: 'ERR IDMP/IDMPAUTO can be used only with auto-generated IDs',
  idempotenceTwice: 'ERR IDMP/IDMPAUTO specified multiple times',
  /** @param option IDMP or IDMPAUTO */
  producerEmpty: (option: string) => `ERR ${option} requires a non-empty producer ID`,
  idempotentIdEmpty: 'ERR IDMP requires a non-empty idempotent ID',
  windowParameterMissing: 'ERR At least one parameter must be specified',
  windowDuration: 'ERR IDMP-DURATION must be between 1 and 86400 seconds',
  windowSize: 'ERR IDMP-MAXSIZE must be between 1 and 10000 entries',
  /** @param option IDMP-DURATION or IDMP-MAXSIZE */
  windowTwice: (option: string) => `ERR ${option} specified multiple times`,
  recordProducerEmpty: 'ERR producer ID must be non-empty',
  recordIdEmpty: 'ERR idempotent ID must be non-empty',
  recordEntryMissing: 'ERR No such message in stream',
  recordDiffers: 'ERR IID already exists for this producer with a different stream ID',

  /** @param container in capitals; @param subcommand as the client wrote it */
  subcommandSyntax: (container: string, subcommand: string) =>
    `ERR unknown subcommand or wrong number of arguments for '${subcommand.slice(0, 128)}'. Try ${container} HELP.`,
} as const
