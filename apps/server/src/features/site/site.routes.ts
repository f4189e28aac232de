import { listReleases, readCompany, readSharedPicture, readSharedPictureFile } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Site } from './site.service.ts'

export function mountSite(api: Api, site: Site): void {
  api.mount(readCompany, () => site.readCompany())
  api.mount(listReleases, ({ input }) => site.listReleases(input))
  api.mount(readSharedPicture, ({ input }) => site.readSharedPicture(input))
  api.mount(readSharedPictureFile, ({ input }) => site.readSharedPictureFile(input))
}
