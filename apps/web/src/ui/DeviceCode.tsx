import { CopyText } from './CopyText.tsx'
import styles from './DeviceCode.module.css'
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
      <CopyText text={code}>
        {id ? (
          <PageLink page="equipment/list" search={{ open: id }}>
            {code}
          </PageLink>
        ) : (
          code
        )}
      </CopyText>
    </span>
  )
}
