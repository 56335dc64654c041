import { Module } from '@nestjs/common'
import { SpanExporter } from './span-exporter.ts'

@Module({ providers: [SpanExporter], exports: [SpanExporter] })
export class TracesModule {}
