import t from 'tap'
import { fieldsOfWords, Job, jobIdOfEntry, PermanentFailure } from '../../src/worker/job.js'

const words = (...texts: string[]) => texts.map(text => Buffer.from(text))
const entry = (...texts: string[]) => ({ id: '5-1', words: words(...texts), deliveries: 2 })

t.test('fields are text by name, the bytes stay at hand', async t => {
  const job = new Job('s', 'g', entry('a', '1', 'b', '2', 'a', '3'), 'id', new AbortController().signal)
  t.same(job.fields, { a: '3', b: '2' })
  t.equal(job.words.length, 6)
  t.same([job.entryId, job.deliveries], ['5-1', 2])
  t.same(fieldsOfWords(words('alone')), {}, 'a name without a value is none')
})

t.test('the id of a job is its field, else its entry, with its version', async t => {
  t.equal(jobIdOfEntry(entry('job', 'a'), undefined), 'a')
  t.equal(jobIdOfEntry(entry('job', 'a'), '2'), 'a@2')
  t.equal(jobIdOfEntry(entry('job', 'a', 'version', '7'), '2'), 'a@7')
  t.equal(jobIdOfEntry(entry('x', 'y'), undefined), '5-1')
  t.equal(new PermanentFailure('no').name, 'PermanentFailure')
})
