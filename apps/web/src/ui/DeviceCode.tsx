import { CopyText } from './CopyText.tsx'
import styles from './DeviceCode.module.css'
import { OnlineTag } from './OnlineTag.tsx'
import { PageLink } from './PageLink.tsx'

export interface DeviceCodeProps {
  code: string
  /** Its id, where it is registered and in the reader's sight: then the code leads to it. */
  id?: string | null
  isOnline?: 0 | 1
}

/** A device wherever it is named: online or not, its code, copied or followed with one press. */
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
