import { describeParameterValue, lampsParameterId } from '@voltkeep/contract/parameters'
import { Nothing } from '../marks/Nothing.tsx'
import { Lamps } from './Lamp.tsx'

export interface ParameterValueProps {
  /** The parameter's id, e.g. 02121006. */
  id: string
  /** Null where it is not known. */
  value: string | null
  /** Low enough for a row of a table. */
  isCompact?: boolean
}

/** The value of a device's parameter: lamps drawn in their colours, doors in words, numbers with their units. */
export function ParameterValue({ id, value, isCompact = false }: ParameterValueProps) {
  if (value === null) return <Nothing />
  if (id === lampsParameterId) return <Lamps value={value} isCompact={isCompact} />
  return <span>{describeParameterValue(id, value)}</span>
}
