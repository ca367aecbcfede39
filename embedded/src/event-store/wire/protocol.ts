/** The subset of EventStoreDB's public gRPC protocol that this store implements, and its codecs. */
import protobuf from 'protobufjs';

/**
 * The messages of the public `.proto` files with their field numbers, in a shorter form with the same wire format:
 * unused fields are left out, equal messages are declared once, and some enums are numbers. Recorded events are
 * `bytes`, because the stored bytes are sent unchanged.
 */
const PROTO = `
syntax = "proto3";

message Empty {}
message UUID {
  message Structured { int64 most_significant_bits = 1; int64 least_significant_bits = 2; }
  oneof value { Structured structured = 1; string string = 2; }
}
message StreamIdentifier { bytes stream_name = 3; }
message Position { uint64 commit_position = 1; uint64 prepare_position = 2; }

message ReadReq {
  Options options = 1;
  message Options {
    oneof stream_option { StreamOptions stream = 1; AllOptions all = 2; }
    uint32 read_direction = 3;
    bool resolve_links = 4;
    oneof count_option { uint64 count = 5; Empty subscription = 6; }
    oneof filter_option { FilterOptions filter = 7; Empty no_filter = 8; }
    UUIDOption uuid_option = 9;
    ControlOption control_option = 10;
  }
  message StreamOptions {
    StreamIdentifier stream_identifier = 1;
    oneof revision_option { uint64 revision = 2; Empty start = 3; Empty end = 4; }
  }
  message AllOptions { oneof all_option { Position position = 1; Empty start = 2; Empty end = 3; } }
  message FilterOptions {
    oneof filter { Expression stream_identifier = 1; Expression event_type = 2; }
    oneof window { uint32 max = 3; Empty count = 4; }
    uint32 checkpointIntervalMultiplier = 5;
    message Expression { string regex = 1; repeated string prefix = 2; }
  }
  message UUIDOption { oneof content { Empty structured = 1; Empty string = 2; } }
  message ControlOption { uint32 compatibility = 1; }
}
message ReadResp {
  oneof content {
    ReadEvent event = 1;
    SubscriptionConfirmation confirmation = 2;
    Position checkpoint = 3;
    StreamNotFound stream_not_found = 4;
    uint64 first_stream_position = 5;
    uint64 last_stream_position = 6;
    Empty caught_up = 8;
  }
  message ReadEvent { bytes event = 1; bytes link = 2; uint64 commit_position = 3; }
  message SubscriptionConfirmation { string subscription_id = 1; }
  message StreamNotFound { StreamIdentifier stream_identifier = 1; }
}

message ProposedMessage {
  UUID id = 1;
  map<string, string> metadata = 2;
  bytes custom_metadata = 3;
  bytes data = 4;
}
message StreamRevisionOptions {
  StreamIdentifier stream_identifier = 1;
  oneof expected { uint64 revision = 2; Empty no_stream = 3; Empty any = 4; Empty stream_exists = 5; }
}
message AppendReq { oneof content { StreamRevisionOptions options = 1; ProposedMessage proposed_message = 2; } }
message Success {
  oneof current_revision_option { uint64 current_revision = 1; Empty no_stream = 2; }
  oneof position_option { Position position = 3; Empty no_position = 4; }
}
message AppendResp {
  oneof result { Success success = 1; WrongExpectedVersion wrong_expected_version = 2; }
  message WrongExpectedVersion {
    oneof current_revision_option_20_6_0 { uint64 current_revision_20_6_0 = 1; Empty no_stream_20_6_0 = 2; }
    oneof expected_revision_option_20_6_0 {
      uint64 expected_revision_20_6_0 = 3; Empty any_20_6_0 = 4; Empty stream_exists_20_6_0 = 5;
    }
    oneof current_revision_option { uint64 current_revision = 6; Empty current_no_stream = 7; }
    oneof expected_revision_option {
      uint64 expected_revision = 8; Empty expected_any = 9; Empty expected_stream_exists = 10; Empty expected_no_stream = 11;
    }
  }
}
message BatchAppendReq {
  UUID correlation_id = 1;
  Options options = 2;
  repeated ProposedMessage proposed_messages = 3;
  bool is_final = 4;
  message Options {
    StreamIdentifier stream_identifier = 1;
    oneof expected { uint64 revision = 2; Empty no_stream = 3; Empty any = 4; Empty stream_exists = 5; }
    oneof deadline_option { Time deadline_at = 6; Time deadline = 7; }
  }
  message Time { int64 seconds = 1; int32 nanos = 2; }
}
message BatchAppendResp {
  UUID correlation_id = 1;
  oneof result { Status error = 2; Success success = 3; }
  StreamIdentifier stream_identifier = 4;
}
message DeleteReq { StreamRevisionOptions options = 1; }
message DeleteResp { oneof position_option { Position position = 1; Empty no_position = 2; } }

message StartScavengeReq { Options options = 1; message Options { int32 thread_count = 1; int32 start_from_chunk = 2; } }
message StopScavengeReq { Options options = 1; message Options { string scavenge_id = 1; } }
message ScavengeResp {
  string scavenge_id = 1;
  ScavengeResult scavenge_result = 2;
  enum ScavengeResult { Started = 0; InProgress = 1; Stopped = 2; }
}

message Status { int32 code = 1; string message = 2; Any details = 3; }
message Any { string type_url = 1; bytes value = 2; }
message WrongExpectedVersion {
  oneof current_stream_revision_option { uint64 current_stream_revision = 1; Empty current_no_stream = 2; }
  oneof expected_stream_position_option {
    uint64 expected_stream_position = 3; Empty expected_any = 4; Empty expected_stream_exists = 5; Empty expected_no_stream = 6;
  }
}
message StreamDeleted { StreamIdentifier stream_identifier = 1; }
message MaximumAppendSizeExceeded { uint32 maxAppendSize = 1; }
message BadRequest { string message = 1; }

message SupportedMethods { repeated SupportedMethod methods = 1; string event_store_server_version = 2; }
message SupportedMethod { string method_name = 1; string service_name = 2; repeated string features = 3; }
message ClusterInfo { repeated MemberInfo members = 1; }
message EndPoint { string address = 1; uint32 port = 2; }
message MemberInfo {
  UUID instance_id = 1; int64 time_stamp = 2; uint32 state = 3; bool is_alive = 4; EndPoint http_end_point = 5;
}
`;

/** A 64-bit number as protobufjs decodes it. */
export interface Long {
  toNumber(): number;
  toString(): string;
}
export type Empty = Record<string, never>;

export interface Uuid {
  readonly structured: { readonly mostSignificantBits: Long; readonly leastSignificantBits: Long } | null;
  readonly string: string | null;
}
export interface StreamIdentifier {
  readonly streamName: Uint8Array;
}
export interface WirePosition {
  readonly commitPosition: Long;
  readonly preparePosition: Long;
}
export interface ProposedMessage {
  readonly id: Uuid | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly customMetadata: Uint8Array;
  readonly data: Uint8Array;
}
export interface ExpectedOptions {
  readonly streamIdentifier: StreamIdentifier | null;
  readonly expected?: 'revision' | 'noStream' | 'any' | 'streamExists';
  readonly revision: Long | null;
}
export interface AppendReq {
  readonly content?: 'options' | 'proposedMessage';
  readonly options: ExpectedOptions | null;
  readonly proposedMessage: ProposedMessage | null;
}
export interface Time {
  readonly seconds: Long;
  readonly nanos: number;
}
export interface BatchAppendReq {
  readonly correlationId: Uuid | null;
  readonly options: (ExpectedOptions & { readonly deadlineAt: Time | null; readonly deadline: Time | null }) | null;
  readonly proposedMessages: readonly ProposedMessage[];
  readonly isFinal: boolean;
}
export interface DeleteReq {
  readonly options: ExpectedOptions | null;
}
export interface StartScavengeReq {
  readonly options: { readonly threadCount: number; readonly startFromChunk: number } | null;
}
export interface StopScavengeReq {
  readonly options: { readonly scavengeId: string } | null;
}
export interface FilterExpression {
  readonly regex: string;
  readonly prefix: readonly string[];
}
export interface FilterOptions {
  readonly filter?: 'streamIdentifier' | 'eventType';
  readonly streamIdentifier: FilterExpression | null;
  readonly eventType: FilterExpression | null;
  readonly window?: 'max' | 'count';
  readonly max: number | null;
  readonly checkpointIntervalMultiplier: number;
}
export interface ReadOptions {
  readonly streamOption?: 'stream' | 'all';
  readonly stream: {
    readonly streamIdentifier: StreamIdentifier | null;
    readonly revisionOption?: 'revision' | 'start' | 'end';
    readonly revision: Long | null;
  } | null;
  readonly all: { readonly allOption?: 'position' | 'start' | 'end'; readonly position: WirePosition | null } | null;
  readonly readDirection: number;
  readonly resolveLinks: boolean;
  readonly countOption?: 'count' | 'subscription';
  readonly count: Long | null;
  readonly filterOption?: 'filter' | 'noFilter';
  readonly filter: FilterOptions | null;
  readonly uuidOption: { readonly content?: 'structured' | 'string' } | null;
  readonly controlOption: { readonly compatibility: number } | null;
}
export interface ReadReq {
  readonly options: ReadOptions | null;
}

const root = protobuf.parse(PROTO, { keepCase: false }).root;

/**
 * Returns the decoder of a message type. Absent messages are `null`; absent scalar fields have the default value of
 * their type, also in a oneof.
 */
export function decoder<T>(name: string): (bytes: Buffer) => T {
  const type = root.lookupType(name);
  return (bytes) => type.decode(bytes) as unknown as T;
}

/** Returns the encoder of a message type; fields are in camel case, 64-bit numbers are numbers or decimal strings. */
export function encoder(name: string): (message: object) => Buffer {
  const type = root.lookupType(name);
  return (message) => type.encode(message).finish() as Buffer;
}
