// The table of parameters in docs/device-protocol.md.
import { lamps, type Parameter, parameterCatalogue } from '../src/parameters.ts'

const english: Readonly<Record<string, string>> = {
  '02121001': 'Feedback contact of door lock 1',
  '02121002': 'Feedback contact of door lock 2',
  '02121003': 'Feedback contact of door lock 3',
  '02121004': 'Feedback contact of door lock 4',
  '02121005': 'State of charge from which a battery in a compartment counts as full',
  '02121006': 'Temperature from which it is too hot',
  '02121007': 'Feedback contact of the fire extinguisher',
  '02121008': 'Feedback contact that a battery is in a compartment',
  '02121009': 'How long a blinking lamp stays on, and off',
  '02121010':
    'Seven lamps, a digit each, first to last: power, network, charging, full, swap, alarm, fire; leading zeros count',
  '02121011': 'Address and port of the platform (MQTT) that the device connects to',
}

/** Every parameter with its meaning, range and unit, as a Markdown table. */
export function parameterTable(): string {
  const lines = parameterCatalogue.map(
    (parameter) =>
      `| \`${parameter.id}\` | ${parameter.name} | ${english[parameter.id]} | ${rangeOf(parameter)} | ${
        parameter.kind === 'number' ? parameter.unit : ''
      } |`,
  )
  return ['| id | name | meaning | value | unit |', '|---|---|---|---|---|', ...lines].join('\n')
}

function rangeOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'contact':
      return 'number: 0 or 1'
    case 'number':
      return `integer, ${parameter.min} to ${parameter.max}`
    case 'lamps': {
      const states = lamps.map(({ code, color, isBlinking }) => {
        const state = color === null ? 'off' : `${color}${isBlinking ? ' blinking' : ''}`
        return `${code} ${state}`
      })
      return `text of seven digits: ${states.join(', ')}`
    }
    case 'address':
      return 'text: `host:port`, an IPv4 address or a name, port 1 to 65535'
  }
}
