import { feature } from '../../platform/feature.ts'
import { advertisements } from '../advertisements/index.ts'
import { mountSite } from './site.routes.ts'
import { createSite } from './site.service.ts'

/** The public pages: who runs the platform, what is new, shared pictures. */
export const site = feature({
  name: 'site',
  create({ db, config, use }) {
    const service = createSite({ db, config, pictures: use(advertisements) })
    return { service, mount: (api) => mountSite(api, service) }
  },
})
