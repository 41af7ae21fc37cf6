from app.session import require_session


def handle(request):
    require_session(request)
    print("invoice", request["id"])
    return {"id": request["id"], "total": 120}
