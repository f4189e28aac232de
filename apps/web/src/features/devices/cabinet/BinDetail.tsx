// One compartment in full, beside the drawing.
import { CloseOutlined } from '@ant-design/icons'
import { compartmentFields } from '@voltkeep/contract/compartments'
import { compartmentKey } from '@voltkeep/contract/readings'
import type { ReactNode } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import { IconButton } from '../../../ui/buttons/IconButton.tsx'
import { CopyText } from '../../../ui/CopyText.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { CurveLink } from '../detail/CurveLink.tsx'
import { deviceTexts } from '../devices.texts.ts'
import { BinSign } from './BinSign.tsx'
import styles from './Cabinet.module.css'
import {
  type Bin,
  bySeverity,
  figureText,
  isOff,
  isReported,
  lookOf,
  measures,
  unitOf,
} from './cabinet.model.ts'
import { cabinetTexts } from './cabinet.texts.ts'

const words = cabinetTexts.detail

export function BinDetail({
  bin,
  deviceCode,
  actions,
  onClose,
}: {
  bin: Bin
  deviceCode: string
  /** What can be done with it from afar. */
  actions?: ReactNode
  onClose: () => void
}) {
  const look = lookOf(bin)
  const { no, batteryCode, isDoorOpen, isLocked } = bin
  return (
    <section className={styles.detail} aria-label={cabinetTexts.number(no)}>
      <header className={styles.detailHead}>
        <BinSign look={look} />
        <h3>{cabinetTexts.number(no)}</h3>
        <span>{cabinetTexts.looks[look]}</span>
        <span className={styles.close}>
          <IconButton label={texts.close} onClick={onClose}>
            <CloseOutlined />
          </IconButton>
        </span>
      </header>
      {!isReported(bin) && <p className={styles.quiet}>{words.unreported}</p>}
      <dl className={styles.facts}>
        {batteryCode !== undefined && (
          <Fact name={words.battery}>
            <CopyText text={batteryCode}>
              <PageLink page="equipment/battery" search={{ battery: batteryCode }}>
                {batteryCode}
              </PageLink>
            </CopyText>
          </Fact>
        )}
        {measures.map((measure) => {
          const value = bin[measure]
          if (value === undefined) return null
          const { name } = compartmentFields[measure]
          return (
            <Fact key={measure} name={cabinetTexts.measures[measure]}>
              {figureText(measure, value)} {unitOf(measure)}
              {isOff(bin, measure) && (
                <span className={styles.off}>
                  {deviceTexts.readings.bands[bin.implausible?.includes(measure) ? 'implausible' : 'outside']}
                </span>
              )}
              <CurveLink keys={[compartmentKey(no, measure)]} of={`${cabinetTexts.number(no)} ${name}`} />
            </Fact>
          )
        })}
        {isDoorOpen !== undefined && (
          <Fact name={words.door}>
            {isDoorOpen ? cabinetTexts.doorOpen : cabinetTexts.doorShut}
            <CurveLink
              keys={[compartmentKey(no, 'isDoorOpen')]}
              of={`${cabinetTexts.number(no)} ${words.door}`}
            />
          </Fact>
        )}
        {isLocked !== undefined && (
          <Fact name={words.lock}>
            {isLocked ? cabinetTexts.locked : cabinetTexts.unlocked}
            <CurveLink
              keys={[compartmentKey(no, 'isLocked')]}
              of={`${cabinetTexts.number(no)} ${words.lock}`}
            />
          </Fact>
        )}
      </dl>
      {bin.alarms.length > 0 && (
        <ul className={styles.alarms} aria-label={words.alarms}>
          {[...bin.alarms].sort(bySeverity).map((alarm) => (
            <li key={alarm.id}>
              <PageLink
                page="maintenance/exitWarning"
                search={{ code: deviceCode, open: alarm.id, at: alarm.startTime }}
                className={styles.troubleLink}
              >
                <LevelTag level={alarm.level} />
                <span>{alarm.name}</span>
                <span className={styles.quiet}>
                  <RelativeTime time={alarm.startTime} isShort />
                </span>
              </PageLink>
            </li>
          ))}
        </ul>
      )}
      {actions && <div className={styles.actions}>{actions}</div>}
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
