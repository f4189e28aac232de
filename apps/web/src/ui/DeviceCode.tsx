import { usePage } from '../lib/pages.ts'
import { parseSearch } from '../lib/urlState.ts'
import { CopyText } from './CopyText.tsx'
import styles from './DeviceCode.module.css'
import type { Opening } from './detail/useWalk.ts'
import { OnlineTag } from './marks/OnlineTag.tsx'
import { PageLink } from './PageLink.tsx'

export interface DeviceCodeProps {
  code: string
  /** Its id, where it is registered and in the reader's scope: then the code links to it. */
  id?: string | null
  isOnline?: 0 | 1
}

/** A device, wherever it is shown: online or not, and its code, which can be copied or followed. */
export function DeviceCode({ code, id, isOnline }: DeviceCodeProps) {
  return (
    <span className={styles.device}>
      {isOnline !== undefined && <OnlineTag isOnline={isOnline} isSign />}
      <CopyText text={code}>{id ? <DeviceLink id={id}>{code}</DeviceLink> : code}</CopyText>
    </span>
  )
}

/** Leads to the page of a device, which then walks the devices in sight here and leads back to here. */
export function DeviceLink({ id, search, children }: { id: string; search?: object; children: string }) {
  const { title } = usePage()
  return (
    <span data-device={id}>
      <PageLink page="equipment/list" search={{ ...search, open: id }} opening={openedHere(title)}>
        {children}
      </PageLink>
    </span>
  )
}

function openedHere(title: string): Opening {
  return {
    state: () => ({
      around: devicesInSight(),
      ...(title && { list: parseSearch(location.search), from: { path: location.pathname, title } }),
    }),
  }
}

/** The devices that the page names, in the order in which they are read. */
function devicesInSight(): string[] {
  const named = document.querySelectorAll<HTMLElement>('[data-device]')
  return [...new Set([...named].map(({ dataset }) => dataset.device ?? ''))]
}
