import type { RemoteAction } from '@voltkeep/contract/actions'
import type { SpokenProtocol } from '@voltkeep/contract/deviceAbilities'
import { lackOf } from '@voltkeep/contract/lackedAbilities'
import { type DeviceProtocol, lackedBy } from '@voltkeep/contract/protocols'

export interface Speaker {
  protocol: DeviceProtocol
  /** Of a row of a list, not known. */
  speaks?: SpokenProtocol
}

/** Why an action cannot be asked for: as far as a row of a list knows, by the way that the device's messages come. */
export const lackIn = ({ protocol, speaks }: Speaker, action: RemoteAction) =>
  lackOf(speaks ?? { lacks: lackedBy[protocol] }, action)
