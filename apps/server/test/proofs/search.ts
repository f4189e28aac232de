import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'

export const search: NounProofs = {
  references: {
    searchConsole: [{ to: 'device by code', input: (named) => ({ keyword: named.deviceCode }) }],
  },
  additions: {
    searchConsole: reasons.found,
  },
}
