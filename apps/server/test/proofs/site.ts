import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readCompany: shared,
    listReleases: shared,
    readSharedPicture: 'the signed address is the permission; its own tests ask with others',
    readSharedPictureFile: 'the signed address is the permission; its own tests ask with others',
  },
  scope: {
    listReleases: { model: 'what was released is the same for everyone', isFoundAnyway: true },
  },
  additions: {
    readCompany: reasons.publicPages,
    listReleases: reasons.publicPages,
    readSharedPicture: reasons.publicPages,
    readSharedPictureFile: reasons.publicPages,
  },
}
