// Expiration policies of a storage and their JSON in the metadata. Used by: storage, both backends.

import { UsageError } from '../base/errors.js'

/**
 * When a message leaves the storage and its queues: never; so many seconds after it was published; or once it is no
 * longer among the last `count` of its storage, or of its queue. A message that is being consumed stays until it is
 * not.
 */
export type ExpirationPolicy =
  | { readonly kind: 'never' }
  | { readonly kind: 'after'; readonly seconds: number }
  | { readonly kind: 'last'; readonly count: number }

export const NEVER: ExpirationPolicy = { kind: 'never' }

/** @throws UsageError for a policy that means nothing */
export function checkPolicy(policy: ExpirationPolicy): ExpirationPolicy {
  switch (policy.kind) {
    case 'never':
      return policy
    case 'after':
      if (policy.seconds > 0 && Number.isFinite(policy.seconds)) return policy
      throw new UsageError(`messages expire after a number of seconds above 0, not ${policy.seconds}`)
    case 'last':
      if (Number.isSafeInteger(policy.count) && policy.count >= 0) return policy
      throw new UsageError(`the last N messages are kept with a whole N of at least 0, not ${policy.count}`)
    default:
      throw new UsageError(`an expiration policy is 'never', 'after' or 'last', not ${JSON.stringify(policy)}`)
  }
}

export function policyText(policy: ExpirationPolicy): string {
  return JSON.stringify(policy)
}

/** @throws UsageError when the metadata hold what no version of ours wrote */
export function policyFrom(text: string): ExpirationPolicy {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(`the storage's expiration policy is not JSON: ${text}`)
  }
  return checkPolicy(value as ExpirationPolicy)
}
