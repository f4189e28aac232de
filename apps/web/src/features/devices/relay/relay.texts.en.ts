// The English of relay.texts.ts.
import type { English } from '../../../lib/texts/english.ts'
import { texts } from '../../../lib/texts/index.ts'
import type { relayTexts as Chinese } from './relay.texts.ts'

export const relayTexts: English<typeof Chinese> = {
  title: 'Relay to the former platform',
  none: 'Not set. Once it is, the former platform controls the device and it is only observed here.',
  states: {
    off: 'Off; controlled from here',
    waiting: 'Waiting for the charge point',
    connected: (time) => `Connected to the former platform since ${time}`,
    away: 'Not connected to the former platform, trying again',
  },
  fields: {
    state: 'Relay',
    url: 'Address of the former platform',
    identity: 'Identity there',
    password: 'Password there',
    ca: 'CA certificate',
    certificate: 'Client certificate',
    key: 'Client key',
    isEnabled: 'Enabled',
    lastError: 'Last error',
  },
  error: (time, text) => `${time} ${text}`,
  add: 'Set relay',
  edit: 'Edit relay',
  dialogTitle: (code) => `Relay of device ${code}`,
  intro:
    'The charge point connects here. What it says is passed on to the former platform, whose answers and commands go to it. While this is enabled the device cannot be operated from here; saving makes it connect again. Enable it while nothing is charging.',
  urlHint: 'Begins with wss:// or ws://, without the identity at its end.',
  identityHint: 'Empty: as it is called here.',
  passwordHint: 'Of Basic authentication; empty where the platform wants none.',
  passwordKept: 'Saved; empty leaves it as it is. Another server needs it again.',
  tlsHint: 'PEM text; empty where its certificate is a public one and none of the client is wanted.',
  tlsKept: 'Saved; empty leaves it as it is. Another server needs it again.',
  keys: {
    title: 'Key of the charge point',
    state: 'Change',
    none: 'It was never changed remotely.',
    states: {
      waiting: 'Waiting for the charge point',
      told: 'The charge point has it and is to connect with it; until then both keys are valid',
      done: (time) => `Changed at ${time}`,
      failed: (why) => `Not changed: ${why}`,
      ended: 'Replaced by a secret that was reset',
    },
    asked: 'Asked for',
    by: (name, time) => `${name} ${time}`,
    renew: 'Change key remotely',
    ask: (code) => `The server makes a new key and gives it to charge point ${code}.`,
    warn: 'The new key is not shown; the old one ends when the charge point has connected with it.',
  },
  remove: {
    ...texts.removal,
    title: 'End relay',
    action: 'End relay',
    ask: (code) => `The relay of device ${code} will end.`,
    warn: 'The charge point connects again and is controlled from here; the former platform hears nothing of it any more.',
    done: 'The relay has ended',
    cancelled: 'The relay was kept',
  },
}
