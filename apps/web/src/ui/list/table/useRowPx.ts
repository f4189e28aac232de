import { usePreference } from '../../../lib/preferences.ts'
import { sizes } from '../../theme/tokens.ts'

/** The height of a row in every list, as its reader wants it. */
export function useRowPx(): number {
  const [density] = usePreference('density')
  return density === 'compact' ? sizes.rowCompact : sizes.row
}
