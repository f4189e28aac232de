// What a device can be told, by the protocol that it speaks. What it cannot is said where it would be pressed.
import * as z from 'zod/mini'
import { remoteActions } from './topics/actions.ts'

/** Remote actions, and the other commands of the device protocol. */
export const abilities = [
  ...remoteActions,
  'setParameters',
  'upgrade',
  'extractLog',
  'advertise',
  'withdraw',
] as const
export type Ability = (typeof abilities)[number]

/** `lacks`: what the protocol of a device has no words for. */
export const SpokenProtocol = z.object({
  /** In the words of the console: 标准协议, hawkBit DDI, or the name of a mapping. */
  name: z.string(),
  lacks: z.array(z.enum(abilities)),
  /** Another platform controls it: nothing can be told from here, whatever its protocol has words for. */
  isObserved: z.boolean(),
})
export type SpokenProtocol = z.output<typeof SpokenProtocol>
