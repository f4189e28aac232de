// The English of mappings.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { mappingTexts as Chinese } from './mappings.texts.ts'

export const mappingTexts: English<typeof Chinese> = {
  measure: 'mapping',
  fields: {
    name: 'Mapping',
    models: 'Models',
    keyword: 'Name or model',
    topic: 'Topic',
    rules: 'Rules',
    commands: 'Commands',
    version: 'Version',
    devices: 'Devices',
    updated: 'Changed',
    document: 'Mapping',
    isEnabled: 'Enabled',
    payload: 'Payload',
    encoding: 'Payload as',
  },
  choose: 'Choose',
  documentHint:
    'JSON: topic, format, rules and commands. What is saved is a draft; it acts on devices once tried and switched on.',
  help: {
    title: 'How it is written',
    lines: [
      [
        'topic',
        'Levels by /; {code} is the device by its code or identity, {name} another level that varies; a rule may have its own topic',
      ],
      [
        'when',
        'A condition, as msg.cmd == "alarm" && item.no in [1, 2]; with msg, item, index, topic, has(), size()',
      ],
      [
        'each',
        'JSON pointer to a list: the rule applies to each item; * is every item, as /racks/*/modules; {"bitsOf": {"path": "/flt", "base": 16}, "count": 32} makes each bit an item, item being 0 or 1 and index its number',
      ],
      ['alarm', 'code and value of the alarm, 0 is recovered; also time, id'],
      ['event', 'code of the event; also value, isFault, data.name, time'],
      ['reading', 'A field’s name is the reading’s; values are numbers, a number as text needs "scale": 1'],
      [
        'compartment',
        'no, from 1; state, isDoorOpen, isLocked, batteryCode, soc, soh, voltage, current, temperature',
      ],
      ['version', 'partType and version; also addrId, hwVersion, pcbCode'],
      ['parameter', 'id and value of the parameter'],
      [
        'reply',
        'outcome is done, failed or refused; commandId is the command or sequence number that is answered; also reason',
      ],
      ['upgrade', 'state of the upgrade; also targetId, percent, reason'],
      ['ignore', 'Messages that are known and not needed'],
      [
        'Values',
        'path is a JSON pointer in the whole message, item one in an item of each, with numbers in lists as /0; index the number; topic a level of the topic; const a fixed value; bytes have at and type',
      ],
      [
        'Conversion',
        'In this order: base (text of base 2, 8 or 16, as 0x0041), bits [first, last], scale, offset, table with otherwise for what is not in it',
      ],
      [
        'time',
        '{"path": "/ts", "timeUnit": "s"}: s seconds, ms milliseconds, iso text, or a format as yyyy-MM-dd HH:mm:ss with a zone',
      ],
    ],
  },
  enabledHint: 'Switched off, messages of these models are only kept for trials.',
  documentMissing: 'Enter a mapping',
  placeOf: { rules: (no) => `Rule ${no}`, commands: (no) => `Command ${no}` },
  documentInvalid: 'The mapping is not a JSON object',
  noVersion: 'Not switched on',
  version: (no, isChanged) => (isChanged ? `v${no}, draft changed` : `v${no}`),
  off: 'Off',
  add: 'Add mapping',
  edit: 'Edit',
  editTitle: (name) => `Edit mapping ${name}`,
  empty: 'No mappings yet',
  emptyHint: 'A mapping turns the messages of devices of another make into alarms, readings and so on.',
  emptyFiltered: 'No mappings match',
  remove: {
    ...en.removal,
    title: 'Delete mapping',
    ask: (name) => `Mapping ${name} and all of its versions will be deleted.`,
    warn: 'Devices of these models then connect by the standard protocol; messages on other topics are refused.',
  },
  trial: {
    open: 'Try',
    title: (name) => `Try ${name}`,
    kept: 'Received messages',
    none: 'No messages of these models have been received.',
    unread: 'Could not be read; try again later',
    own: 'A message of your own',
    run: 'Try',
    becomes: 'Becomes',
    ignored: 'Ignored, not written',
    foreign: 'The topic names another device; the connection would be closed',
    unused: (paths) => `Not used: ${paths}`,
    activate: 'Switch draft on',
    activateEarlier: 'Switch on',
    replay: (mapped, total) => `${mapped} of ${counted(total, 'message')} became something`,
    lost: (count) => `${count} did before and do no longer`,
    gained: (count) => `${count} did not before and do now`,
    versions: 'Versions',
    text: 'Text',
    hex: 'Hexadecimal',
    refusedThen: (detail) => `When received: ${detail}`,
  },
}
