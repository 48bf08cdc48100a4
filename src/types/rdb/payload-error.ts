// What is wrong with a serialized value that a client handed in. Thrown by the readers of this folder, answered by
// RESTORE.

/** The bytes are no value: nothing of them is kept. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError'
}
