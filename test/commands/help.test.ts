import t from 'tap'
import { FakeServer } from '../support/fake-server.js'

t.test('HELP begins as in Redis and names every subcommand', async t => {
  const server = new FakeServer()
  server.context.config.values.enableDebugCommand = 'yes'
  for (const container of server.context.table.commands.filter(spec => spec.subcommands !== undefined)) {
    const text = server.ask(container.name, 'HELP')
    const name = container.name.toUpperCase()
    t.match(text, `\r\n+${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:\r\n+`)
    t.match(text, /\r\n\+HELP\r\n\+ {4}Prints this help\.\r\n$/)
    for (const sub of container.subcommands!) {
      const word = sub.name.slice(sub.name.indexOf('|') + 1).toUpperCase()
      t.match(text, new RegExp(`\\r\\n\\+${word}( |\\r)`), sub.name)
    }
  }
})
